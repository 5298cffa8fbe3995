#include "collectives/communicators/network_probe.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "tests/support/nodes/nodes_of_ranks.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <array>
#include <vector>

namespace rondo::internal::network_probe_test {
namespace {

void expect_alike(double value) {
  std::array ends{value, -value};
  MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(ends[0], -ends[1]);
}

TEST(NetworkProbe, TellsBytesByThreeLengths) {
  constexpr int kMessages = NetworkProbe::kMessages;
  constexpr int kLongBytes = NetworkProbe::kLong - NetworkProbe::kShort;
  constexpr int kLongestBytes = NetworkProbe::kLongest - NetworkProbe::kLong;
  const double many = 1000 + kMessages * 400;
  const double many_long = many + kMessages * kLongBytes * 0.25;
  const NetworkTimes times = NetworkProbe::times_of(1000, many, many_long, many_long + kMessages * kLongestBytes * 0.5);
  EXPECT_DOUBLE_EQ(times.message, 400);
  EXPECT_DOUBLE_EQ(times.byte, 0.25);
  EXPECT_DOUBLE_EQ(times.latency, 1000);
  EXPECT_DOUBLE_EQ(times.long_byte, 0.5);
}

/// Nodes of any sizes: a rank may hear from several ranks of the node before, or from none.
TEST(NetworkProbe, TellsAllRanksTheSame) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int p = test::all_ranks();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const NodeMembers nodes(test::some_nodes(p, seed));
    if (nodes.nodes() < 2) continue;
    NetworkProbe probe(nodes, test::own_rank());
    const NetworkTimes times = probe.measure(comm, 3);
    for (const double value : {times.message, times.byte, times.latency, times.long_byte}) {
      EXPECT_GE(value, 0);
      expect_alike(value);
    }
    EXPECT_GT(times.message, 0);
    EXPECT_GT(times.latency, 0);
  }
  MPI_Barrier(comm);
  int left = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &left, MPI_STATUS_IGNORE);
  EXPECT_EQ(left, 0) << "a message that nobody received";
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::network_probe_test
