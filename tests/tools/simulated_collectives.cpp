// Rondo's collectives on a simulated machine: right data, and the same time whether there are any.
#include "runtime/machine/loggp_network.hpp"
#include "runtime/machine/simulated_start.hpp"
#include "tests/support/cases/allgather_case.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/dense_case.hpp"
#include "tests/support/cases/halo_case.hpp"
#include "tests/support/cases/reduction_case.hpp"
#include "tests/support/cases/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal::machine::simulated_collectives_test {
namespace {

/// When each rank ends; checks what has arrived.
std::vector<SimulatedTime> ends(const Machine& machine, const CollectiveCase& collective, Data data) {
  LogGPNetwork network(machine, data);
  std::vector<std::unique_ptr<VirtualOperation>> operations;
  std::vector<Execution*> executions;
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    operations.push_back(
        std::make_unique<VirtualOperation>(collective, 0, rank, network.transport(rank), MPI_COMM_NULL, 0));
    executions.push_back(&operations.back()->execution());
  }
  const auto found = run(network, executions, [&](int rank) { operations[static_cast<std::size_t>(rank)]->start(); });
  for (const auto& operation : operations) {
    const std::string wrong = operation->finish(data == Data::none);
    EXPECT_EQ(wrong, "");
  }
  return found;
}

void expect_right(const Machine& machine, const CollectiveCase& collective) {
  SCOPED_TRACE(collective.name + ", " + machine.platform.name());
  EXPECT_EQ(ends(machine, collective, Data::carried), ends(machine, collective, Data::none));
}

TEST(SimulatedCollectives, DenseAlltoalls) {
  const Machine machine{fat_tree(8, 2, 2), omni_path(), nodes_of_ranks(16, 8, Mapping::blocks)};
  DenseCase given{.size = 16, .bytes = [](int, int) { return std::int64_t{24}; }};
  for_each_dense(given, [&](const CollectiveCase& collective) { expect_right(machine, collective); });
  given.bytes = [](int, int) { return std::int64_t{40000}; };
  expect_right({torus(std::vector{4, 4}), fdr_infiniband(), nodes_of_ranks(16, 16, Mapping::blocks)},
               dense_case(given, dense_way("segmented")));
}

TEST(SimulatedCollectives, CartesianAlltoalls) {
  const Machine machine{torus(std::vector{4, 4}), omni_path(), nodes_of_ranks(64, 16, Mapping::round_robin)};
  for_each_alltoall({.sizes = {4, 4, 4}, .neighborhood = moore(3, 1), .bytes = [](int, int i) { return 8 + 4 * i; }},
                    true, 1, [&](const CollectiveCase& collective) { expect_right(machine, collective); });
}

TEST(SimulatedCollectives, Allgathers) {
  const Machine machine{torus(std::vector{2, 4}), gemini(), nodes_of_ranks(24, 8, Mapping::blocks)};
  for_each_allgather({.sizes = {6, 4}, .periods = {}, .neighborhood = box(2, 4, -1), .bytes = [](int) { return 24; }},
                     1, [&](const CollectiveCase& collective) { expect_right(machine, collective); });
}

TEST(SimulatedCollectives, Halos) {
  const Machine machine{fat_tree(6, 2, 2), qdr_infiniband(), nodes_of_ranks(24, 6, Mapping::blocks)};
  for (const Stencil stencil : {Stencil::box, Stencil::star}) {
    for_each_halo({.sizes = {6, 4}, .low = {2, 2}, .high = {2, 2}, .stencil = stencil},
                  [&](const CollectiveCase& collective) { expect_right(machine, collective); });
  }
}

TEST(SimulatedCollectives, Reductions) {
  const Machine machine{one_switch(6), qdr_infiniband(), nodes_of_ranks(24, 6, Mapping::blocks)};
  for_each_plan({.sizes = {6, 4}, .neighborhood = moore(2, 1)}, byte_fold(),
                [&](const CollectiveCase& collective) { expect_right(machine, collective); });
}

/// The last end.
SimulatedTime time(const Machine& machine, const DenseCase& given, std::string_view algorithm) {
  return std::ranges::max(ends(machine, dense_case(given, dense_way(algorithm)), Data::none));
}

// Bruck's algorithm sends 6 messages where the direct one sends 63: it must win where messages cost, and lose where
// bytes do.
TEST(SimulatedCollectives, BruckWinsWithShortBlocksOnly) {
  const Machine machine{slim_fly(64, 4), fdr_infiniband(), nodes_of_ranks(64, 64, Mapping::blocks)};
  DenseCase given{.size = 64, .bytes = [](int, int) { return std::int64_t{8}; }};
  given.options.radix = 2;
  EXPECT_LT(2 * time(machine, given, "bruck"), time(machine, given, "direct"));
  given.bytes = [](int, int) { return std::int64_t{8192}; };
  EXPECT_GT(time(machine, given, "bruck"), time(machine, given, "direct"));
}

}  // namespace
}  // namespace rondo::internal::machine::simulated_collectives_test
