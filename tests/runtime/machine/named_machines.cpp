#include "runtime/machine/named_machines.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace rondo::internal::machine::named_machines_test {
namespace {

TEST(NamedMachines, ATorusIsAsEvenAsCanBe) {
  using Sizes = std::array<int, 3>;
  EXPECT_EQ(even_sizes(64), (Sizes{4, 4, 4}));
  EXPECT_EQ(even_sizes(36), (Sizes{4, 3, 3}));
  EXPECT_EQ(even_sizes(12), (Sizes{3, 2, 2}));
  EXPECT_EQ(even_sizes(7), (Sizes{7, 1, 1}));
  EXPECT_EQ(even_sizes(1), (Sizes{1, 1, 1}));
  EXPECT_THROW(static_cast<void>(even_sizes(0)), std::invalid_argument);
}

TEST(NamedMachines, HaveAllNodesThatAreAskedFor) {
  for (const char* name : {"one-switch", "fat-tree", "torus", "slim-fly"})
    EXPECT_EQ(platform_named(name, 50).nodes(), 50) << name;
  EXPECT_EQ(platform_named("fat-tree", 16).name(), "fat tree, 4 leaves of 4, taper 2");
  EXPECT_EQ(platform_named("fat-tree", 64).name(), "fat tree, 4 leaves of 16, taper 2");
}

TEST(NamedMachines, OthersAreRefused) {
  EXPECT_EQ(network_named("omni-path").name, omni_path().name);
  EXPECT_EQ(network_named("fdr-infiniband").name, fdr_infiniband().name);
  EXPECT_THROW(static_cast<void>(network_named("ethernet")), std::invalid_argument);
  EXPECT_EQ(binding_named("in-turn"), RailBinding::in_turn);
  EXPECT_EQ(binding_named("in-blocks"), RailBinding::in_blocks);
  EXPECT_THROW(static_cast<void>(binding_named("blocks")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(platform_named("ring", 4)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(platform_named("slim-fly", 201)), std::invalid_argument);
}

}  // namespace
}  // namespace rondo::internal::machine::named_machines_test
