// The enumerators of Options and their names: those of the registries and of all settings, both ways.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/options.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/halo/algorithms.hpp"
#include "collectives/settings/algorithm_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal::option_names_test {
namespace {

/// The names of all enumerators, as far as they go.
template <typename Choice>
std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (std::uint8_t value = 0; std::string_view(name(Choice{value})) != "?"; ++value)
    names.emplace_back(name(Choice{value}));
  return names;
}

template <typename Choice>
void expect_ways_back(std::optional<Choice> (*from)(std::string_view)) {
  const std::vector<std::string> names = names_of_all<Choice>();
  for (std::size_t value = 0; value < names.size(); ++value)
    EXPECT_EQ(from(names[value]), Choice{static_cast<std::uint8_t>(value)}) << names[value];
  EXPECT_EQ(from(""), std::nullopt);
  for (const char* other : {"fastest", "?", "Direct", "auto "}) {
    try {
      static_cast<void>(from(other));
      ADD_FAILURE() << other;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_INFO_VALUE);
      EXPECT_NE(std::string(error.what()).find(": is \"" + std::string(other) + "\", must be " + names.front()),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(OptionNames, LeadThereAndBack) {
  expect_ways_back(algorithm_from);
  expect_ways_back(ordering_from);
  expect_ways_back(message_form_from);
  expect_ways_back(queue_from);
  expect_ways_back(shared_memory_from);
  EXPECT_EQ(names_of_all<Ordering>(), (std::vector<std::string>{"dependencies", "phases"}));
  EXPECT_EQ(names_of_all<MessageForm>(), (std::vector<std::string>{"auto", "staged", "datatype"}));
  EXPECT_EQ(names_of_all<Queue>(), (std::vector<std::string>{"window", "batches"}));
  EXPECT_EQ(names_of_all<SharedMemory>(), (std::vector<std::string>{"on", "off", "odd"}));
}

TEST(OptionNames, AreTakenByAllSettings) {
  for (const std::string& one : names_of_all<rondo::Algorithm>())
    EXPECT_NO_THROW(static_cast<void>(parse_algorithms(one)));
}

template <typename Problem>
void expect_enumerators_for(const Registry<Problem>& registry) {
  for (const Algorithm<Problem>& row : registry.algorithms) {
    const std::optional<rondo::Algorithm> found = algorithm_from(row.name);
    ASSERT_TRUE(found) << row.name;
    EXPECT_EQ(name(*found), row.name) << registry.collective;
  }
}

TEST(OptionNames, AreThereForEachAlgorithm) {
  expect_enumerators_for(alltoall::registry());
  expect_enumerators_for(allgather::registry());
  expect_enumerators_for(reduction::registry());
  expect_enumerators_for(halo::registry());
  expect_enumerators_for(dense::registry());
  expect_enumerators_for(dense_allgather::registry());
  expect_enumerators_for(broadcast::registry());
  expect_enumerators_for(barrier::registry());
}

}  // namespace
}  // namespace rondo::internal::option_names_test
