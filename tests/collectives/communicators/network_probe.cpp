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

/// What a model of these costs says of a burst.
double predicted(const NetworkTimes& times, NetworkProbe::Burst burst) {
  const double overhead = burst.bytes > NetworkTimes::kEagerLimit ? times.rendezvous : times.message;
  return times.latency + burst.messages * (overhead + burst.bytes * times.byte);
}

TEST(NetworkProbe, ConcludesTheCostsThatGiveTheTimes) {
  const NetworkTimes costs{.message = 400, .byte = 0.25, .latency = 600, .rendezvous = 3000};
  NetworkProbe::Nanoseconds taken{.one = predicted(costs, NetworkProbe::kOne),
                                  .many = predicted(costs, NetworkProbe::kMany),
                                  .many_long = predicted(costs, NetworkProbe::kLong),
                                  .full = predicted(costs, NetworkProbe::kFull),
                                  .huge = predicted(costs, NetworkProbe::kHuge)};
  const auto expect_costs = [&] {
    const NetworkTimes times = NetworkProbe::times_of(taken);
    EXPECT_NEAR(times.message, 400 + 8 * 0.25, 1e-9) << "bytes of short messages are part of them";
    EXPECT_NEAR(times.latency, 600, 1e-9);
    EXPECT_NEAR(times.byte, 0.25, 1e-3);
    EXPECT_NEAR(times.rendezvous, 3000, 10);
  };
  expect_costs();
  taken.many_long = taken.many;  // where messages keep cores busier than ports
  expect_costs();
}

TEST(NetworkProbe, TakesNothingForNegativeWhateverWasTimed) {
  const NetworkTimes times =
      NetworkProbe::times_of({.one = 5000, .many = 1600, .many_long = 1000, .full = 500, .huge = 100});
  EXPECT_DOUBLE_EQ(times.message, 800.0 / 15) << "half of an average one, at least";
  EXPECT_GT(times.latency, 0);
  EXPECT_EQ(times.byte, 0);
  EXPECT_EQ(times.rendezvous, times.message);
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
    for (const double value : {times.message, times.byte, times.latency, times.rendezvous}) {
      EXPECT_GE(value, 0);
      expect_alike(value);
    }
    EXPECT_GT(times.message, 0);
  }
  MPI_Barrier(comm);
  int left = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &left, MPI_STATUS_IGNORE);
  EXPECT_EQ(left, 0) << "a message that nobody received";
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::network_probe_test
