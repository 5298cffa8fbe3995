// The direct alltoall through few ports; with as many as there are neighbors it is in the sweep.
#include "collectives/cart_alltoall/algorithms.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/simulation.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace rondo::internal::alltoall::direct_test {
namespace {

const AlltoallWay kDirect{"direct", false, build_direct};

/// EuroMPI 2015, section 5.1: through k ports in ceil(t / k) rounds, whatever sizes there are and who is missing.
TEST(DirectAlltoall, ThroughPorts) {
  std::uint64_t seed = 0;
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
    for (const Neighborhood& hood : {box(2, 3, -1), Neighborhood{{1, 0}, {1, 0}, {0, 7}, {-2, 1}}}) {
      for (const int ports : {1, 2, 3, 100}) {
        for (const bool uniform : {true, false}) {
          AlltoallCase given{.sizes = {3, 2}, .neighborhood = hood, .periods = periods, .bytes = {}, .ports = ports};
          given.bytes = [&](int rank, int i) { return std::int64_t{(uniform ? i : i + rank) % 4 * 9}; };
          const CollectiveCase each = alltoall_case(given, kDirect, uniform);
          EXPECT_EQ(checked(each), "") << ports;
          EXPECT_EQ(simulate({&each, 1}, seed++, 2), "") << ports;
        }
      }
    }
  }
}

/// Where sizes are known, blocks of one size are in flight together, the largest first.
TEST(DirectAlltoall, PortsTakeTheLargestBlocksFirst) {
  const std::array<std::int64_t, 4> bytes{8, 64, 16, 32};
  const AlltoallCase given{.sizes = {9},
                           .neighborhood = Neighborhood{{1}, {2}, {3}, {4}},
                           .bytes = [&](int, int i) { return bytes[static_cast<std::size_t>(i)]; },
                           .ports = 1};
  const CollectiveCase each = alltoall_case(given, kDirect);
  std::vector<std::int64_t> sent;
  for (const Task& task : each.schedules[0]->tasks()) {
    if (task.kind == TaskKind::send) sent.push_back(task.bytes);
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{64, 32, 16, 8}));
}

/// Blocks without bytes and those that stay take no port.
TEST(DirectAlltoall, PredictsARoundForEachPort) {
  const Grid grid(std::array{9}, 0);
  const CostModel costs(1.0);
  const Neighborhood hood{{1}, {0}, {2}, {3}, {9}, {4}, {5}, {1}};
  const std::array<std::int64_t, 8> bytes{8, 8, 8, 8, 8, 0, 8, 8};
  const NeighborhoodFacts facts(grid, hood);
  Problem problem{grid, facts, {}, {}, true, costs, bytes};
  const auto phases = [&](int ports) {
    problem.ports = ports;
    return predict_direct(problem).phases;
  };
  EXPECT_EQ(predict_direct(problem).rounds, 5);
  EXPECT_EQ(phases(0), 1);
  EXPECT_EQ(phases(1), 5);
  EXPECT_EQ(phases(2), 3);
  EXPECT_EQ(phases(5), 1);
}

}  // namespace
}  // namespace rondo::internal::alltoall::direct_test
