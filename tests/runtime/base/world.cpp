#include "runtime/base/world.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "runtime/base/node.hpp"

namespace rondo::internal::world_test {
namespace {

TEST(World, TheRankIsKnown) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(world_rank(), rank);
  EXPECT_EQ(world_rank(), rank);
}

TEST(World, CommunicatorsGoByNameOrSize) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string many = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
  EXPECT_EQ(describe_comm(MPI_COMM_WORLD).view(), "MPI_COMM_WORLD (" + many + ")");
  EXPECT_EQ(describe_comm(MPI_COMM_SELF).view(), "MPI_COMM_SELF (1 rank)");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &half);
  EXPECT_EQ(describe_comm(half).view(), "a communicator of " + many);
  MPI_Comm_set_name(half, "ocean");
  EXPECT_EQ(describe_comm(half).view(), "ocean (" + many + ")");
  MPI_Comm_free(&half);
}

/// Where the tests have asked Open MPI to yield, by its own variable.
TEST(World, ItIsKnownWhetherMpiYields) {
  const char* const asked = std::getenv("OMPI_MCA_mpi_yield_when_idle");
#if defined(OPEN_MPI)
  if (asked != nullptr) {
    EXPECT_EQ(mpi_yields_when_idle(), std::string(asked) == "1");
  }
#else
  static_cast<void>(asked);
  EXPECT_FALSE(mpi_yields_when_idle());
#endif
}

}  // namespace
}  // namespace rondo::internal::world_test
