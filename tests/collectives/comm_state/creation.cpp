// What ranks learn of each other's nodes when a communicator is made. RONDO_TEST_NODES and RONDO_SHM_BYTES=0 have them
// be apart, or without memory.
#include "collectives/comm_state/creation.hpp"

#include <gtest/gtest.h>

#include "tests/support/nodes/shared_nodes.hpp"

#include <cstdlib>

namespace rondo::internal::creation_test {
namespace {

bool on_one_node(SharedMemory use) {
  Creation creation(1, use, nullptr, MPI_COMM_WORLD);
  creation.reach();
  return creation.on_one_node();
}

TEST(Creation, KnowsWhetherAllRanksMayShareMemory) {
  const bool apart = std::getenv("RONDO_TEST_NODES") != nullptr && test::all_ranks() > 1;
  EXPECT_EQ(on_one_node(SharedMemory::on), !apart && !test::is_set("RONDO_SHM_BYTES", "0"));
}

TEST(Creation, OneRankWithoutMemoryIsEnough) {
  EXPECT_FALSE(on_one_node(test::own_rank() == 0 ? SharedMemory::off : SharedMemory::on));
  EXPECT_FALSE(on_one_node(test::own_rank() == 0 ? SharedMemory::odd : SharedMemory::on));
}

}  // namespace
}  // namespace rondo::internal::creation_test
