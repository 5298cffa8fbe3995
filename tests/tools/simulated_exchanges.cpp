// What benchmarks run on a simulated machine: blocks that arrive where they should, and messages that can be counted.
#include "bench/simulated/exchanges.hpp"
#include "bench/simulated/halo_exchange.hpp"
#include "bench/simulated/reduce_exchange.hpp"
#include "bench/simulated/run_plans.hpp"
#include "runtime/machine/machine.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <vector>

namespace rondo::internal::simulated::simulated_exchanges_test {
namespace {

/// 24 ranks, four on each node.
machine::Machine some_machine() {
  return {machine::fat_tree(6, 2, 2), machine::omni_path(), machine::nodes_of_ranks(24, 6, machine::Mapping::blocks)};
}

template <typename Exchange>
Outcome run(const machine::Machine& machine, const Exchange& exchange, std::string_view algorithm) {
  const auto offered = exchange.with_problem(
      0, [&](const auto& problem) { return plans_for(Exchange::registry(), problem, algorithm); });
  EXPECT_TRUE(offered.by_the_asked) << algorithm;
  return run_plan(machine, exchange, offered.plans.front());
}

template <typename Exchange>
void expect_right(const machine::Machine& machine, const Exchange& exchange) {
  for (const auto& row : Exchange::registry().algorithms) {
    SCOPED_TRACE(row.name);
    for (const auto& plan : exchange.with_problem(0, [&](const auto& problem) { return row.plans(problem); })) {
      const Outcome outcome = run_plan(machine, exchange, plan);
      EXPECT_TRUE(outcome.carried);
      EXPECT_TRUE(outcome.right);
    }
  }
}

TEST(SimulatedExchanges, BringBlocksOfSeveralSizes) {
  const machine::Machine machine = some_machine();
  std::vector<std::int64_t> bytes{0, 4, 400, 12, 8, 4, 40, 16, 64};  // the first stays where it is
  expect_right(machine, CartExchange(machine, std::vector{6, 4}, rondo::box(2, 3, 0), "", bytes));
}

TEST(SimulatedExchanges, BringOneBlockToAllNeighbors) {
  const machine::Machine machine = some_machine();
  expect_right(machine, AllgatherExchange(machine, std::vector{6, 4}, rondo::box(2, 5, -1), "", 12));
}

TEST(SimulatedExchanges, NoticeWrongData) {
  const machine::Machine machine = some_machine();
  const AllgatherExchange exchange(machine, std::vector{6, 4}, rondo::moore(2, 1), "", 12);
  const auto plan = exchange.with_problem(
      0, [](const auto& problem) { return plans_for(allgather::registry(), problem, "direct").plans.front(); });
  const Schedules schedules = schedules_of(machine, exchange, plan);
  const auto found = [&](const std::function<BlockName(int, int)>& arriving) {
    return run_schedules(machine, schedules, exchange.sent(), exchange.received(), arriving).right;
  };
  EXPECT_TRUE(found([&](int rank, int i) { return exchange.arriving(rank, i); }));
  EXPECT_FALSE(found([&](int rank, int i) { return exchange.arriving(rank, i == 7 ? 6 : i); }));
}

TEST(SimulatedExchanges, LeaveLargeDataAlone) {
  const machine::Machine machine = some_machine();
  const AllgatherExchange exchange(machine, std::vector{6, 4}, rondo::moore(2, 1), "", 100);
  const auto plan = exchange.with_problem(
      0, [](const auto& problem) { return plans_for(allgather::registry(), problem, "direct").plans.front(); });
  const std::size_t received = 24 * 8 * 100;
  EXPECT_TRUE(run_plan(machine, exchange, plan, received).carried);
  const Outcome without = run_plan(machine, exchange, plan, received - 24);
  EXPECT_FALSE(without.carried);
  EXPECT_EQ(without.nanoseconds, run_plan(machine, exchange, plan).nanoseconds);
}

TEST(SimulatedExchanges, WaitForEachExchangeThroughOnePort) {
  const machine::Machine machine = some_machine();
  const rondo::Neighborhood neighborhood = rondo::moore(2, 1);
  const Outcome at_once = run(machine, CartExchange(machine, std::vector{6, 4}, neighborhood, "", 8), "direct");
  const Outcome one_by_one = run(machine, CartExchange(machine, std::vector{6, 4}, neighborhood, "", 8, 1), "direct");
  EXPECT_EQ(one_by_one.traffic, at_once.traffic);
  EXPECT_GT(one_by_one.nanoseconds, 2 * at_once.nanoseconds);
}

/// Messages that a rank sends.
std::int64_t messages(const Outcome& outcome) { return (outcome.traffic.far + outcome.traffic.near) / 24; }

TEST(SimulatedExchanges, ExchangeHalosInFewMessages) {
  const machine::Machine machine = some_machine();
  const HaloExchange box(machine, std::vector{6, 4}, {10, 2, rondo::Stencil::box});
  EXPECT_EQ(messages(run(machine, box, "direct")), 8);
  EXPECT_EQ(messages(run(machine, box, "combining")), 4);
  const HaloExchange star(machine, std::vector{6, 4}, {10, 1, rondo::Stencil::star});
  const Outcome direct = run(machine, star, "direct");
  EXPECT_EQ(messages(direct), 4);
  EXPECT_EQ(direct.traffic.far_bytes + direct.traffic.near_bytes, 24 * 4 * 10);
}

TEST(SimulatedExchanges, ReduceInFewMessages) {
  const machine::Machine machine = some_machine();
  const ReduceExchange reduce(machine, std::vector{6, 4}, rondo::moore(2, 1), 100);
  EXPECT_EQ(messages(run(machine, reduce, "direct")), 8);
  const Outcome combining = run(machine, reduce, "combining");
  EXPECT_EQ(messages(combining), 4);
  EXPECT_EQ(combining.traffic.far_bytes + combining.traffic.near_bytes, 24 * 4 * 800);
}

}  // namespace
}  // namespace rondo::internal::simulated::simulated_exchanges_test
