// Every plan of the barrier: no rank ends before all have begun.
#include "collectives/barrier/algorithms.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "runtime/check/barrier_check.hpp"
#include "runtime/check/schedule_checker.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/nodes/messages_between.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::barrier::algorithms_test {
namespace {

using Visit = std::function<void(const CollectiveCase&)>;

/// `numbers`: one for the node of each rank, or empty, where nobody knows.
CollectiveCase barrier_case(int p, const Plan& plan, Ordering ordering, const CostModel& costs,
                            std::span<const std::int64_t> numbers = {}) {
  CollectiveCase made{"barrier, " + plan.name + describe_building(ordering, MessageForm::automatic, 0) + ", p " +
                          std::to_string(p) + test::describe_nodes(numbers),
                      {},
                      {},
                      std::vector<std::int64_t>(static_cast<std::size_t>(p), 1),
                      std::vector<std::int64_t>(static_cast<std::size_t>(p), 0)};
  const NodeMembers nodes(numbers);
  for (int rank = 0; rank < p; ++rank) {
    ScheduleBuilder builder(ordering);
    plan.build({.rank = rank, .size = p, .costs = costs, .nodes = &nodes}, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  return made;
}

void for_each_barrier(int p, const Visit& visit, std::span<const std::int64_t> numbers = {}) {
  const CostModel costs(1.0);
  const NodeMembers nodes(numbers);
  const Problem problem{.rank = 0, .size = p, .costs = costs, .nodes = nodes.have_carriers() ? &nodes : nullptr};
  for (const Algorithm& row : registry().algorithms) {
    for (const Plan& plan : row.plans(problem)) {
      for (const Ordering ordering : {Ordering::dependencies, Ordering::phases})
        visit(barrier_case(p, plan, ordering, costs, numbers));
    }
  }
}

/// What is wrong, in words; empty when nothing is. There is no data to define.
std::string flaw_of(const CollectiveCase& made) {
  std::vector<const Schedule*> schedules;
  for (const auto& schedule : made.schedules) schedules.push_back(schedule.get());
  if (const auto finding = check_without_definition(schedules)) return made.name + ": " + finding->story;
  const std::string found = find_early_end(schedules);
  return found.empty() ? found : made.name + ": " + found;
}

TEST(BarrierAlgorithms, NobodyEndsBeforeAllHaveBegun) {
  for (int p = 1; p <= 40; ++p) {
    for_each_barrier(p, [&](const CollectiveCase& each) {
      ASSERT_EQ(flaw_of(each), "");
      if (p > 17) return;
      ASSERT_EQ(simulate({&each, 1}, static_cast<std::uint64_t>(p), 3), "");
    });
  }
}

/// In blocks, dealt out in turn, and anyhow.
TEST(BarrierAlgorithms, NobodyEndsEarlyBetweenNodes) {
  for (int p = 3; p <= 20; ++p) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto numbers = test::some_nodes(p, 3 * seed + static_cast<std::uint64_t>(p));
      for_each_barrier(
          p,
          [&](const CollectiveCase& each) {
            if (each.name.find("node-aware") == std::string::npos) return;
            ASSERT_EQ(flaw_of(each), "");
            ASSERT_EQ(simulate({&each, 1}, seed, 3), "");
            for (const auto& schedule : each.schedules) {
              EXPECT_EQ(schedule->tags(), each.schedules.front()->tags()) << each.name;
              EXPECT_LE(schedule->tags(), most_tags(p)) << each.name;
            }
          },
          numbers);
    }
  }
}

/// As many as the dissemination has among as many ranks as there are nodes.
TEST(BarrierAlgorithms, NodeAwareSendsAsNodesWould) {
  const CostModel costs(1.0);
  const std::vector<std::int64_t> numbers{1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 5, 0};
  const NodeMembers nodes(numbers);
  for (const int radix : {2, 3, 6}) {
    const Problem problem{.rank = 0, .size = 12, .costs = costs, .radix = radix, .nodes = &nodes};
    const Plan plan = registry().algorithms[2].plans(problem).at(0);
    EXPECT_EQ(plan.name, "node-aware, radix " + std::to_string(radix));
    const CollectiveCase made = barrier_case(12, plan, Ordering::dependencies, costs, numbers);
    int messages = 0;
    for (const auto& [pair, count] : test::messages_between(made, nodes)) messages += count;
    const auto among = predict_dissemination({.rank = 0, .size = 6, .costs = costs}, radix).rounds;
    EXPECT_EQ(messages, 6 * among) << radix;
  }
}

/// Only where there are nodes to know. Messages between them cost much, so that `auto` spares them.
TEST(BarrierAlgorithms, AutoSparesMessagesBetweenNodes) {
  const CostModel costs = CostModel(1.0).with_near(CostModel::through_slots(1.0));
  const std::vector<std::int64_t> numbers{1, 1, 1, 1, 2, 2, 2, 2};
  const NodeMembers nodes(numbers);
  Problem problem{.rank = 0, .size = 8, .costs = costs, .fewest_near = 3, .nodes = &nodes};
  EXPECT_EQ(choose(problem, "auto", Ordering::dependencies).algorithm, "node-aware");
  problem.nodes = nullptr;
  const Chosen chosen = choose(problem, "node-aware", Ordering::dependencies);
  EXPECT_NE(chosen.algorithm, "node-aware");
  EXPECT_NE(chosen.note.find("it does not apply to this barrier"), std::string::npos) << chosen.note;
}

TEST(BarrierAlgorithms, AreRightThroughSharedMemory) {
  std::uint64_t seed = 0;
  const std::vector<std::int64_t> on_nodes{1, 2, 1, 2, 2};
  for (const Simulation::Ways ways : {Simulation::Ways::slots, Simulation::Ways::lanes, Simulation::Ways::mixed}) {
    const Visit run = [&](const CollectiveCase& each) {
      for (int i = 0; i < 10; ++i) ASSERT_EQ(simulate({&each, 1}, seed++, 5, ways), "");
    };
    for_each_barrier(2, run);
    for_each_barrier(5, run, on_nodes);
  }
}

TEST(BarrierAlgorithms, EveryRadixIsABarrier) {
  const CostModel costs(1.0);
  for (const int p : {2, 9, 26, 27, 28}) {
    for (int radix = 2; radix <= p; ++radix) {
      const Problem problem{.rank = 0, .size = p, .costs = costs, .radix = radix};
      const Plan plan = registry().algorithms[1].plans(problem).at(0);
      EXPECT_EQ(plan.name, "dissemination, radix " + std::to_string(radix));
      EXPECT_EQ(flaw_of(barrier_case(p, plan, Ordering::dependencies, costs)), "");
    }
  }
  const Problem bad{.rank = 0, .size = 4, .costs = costs, .radix = 1};
  EXPECT_THROW(static_cast<void>(registry().algorithms[1].plans(bad)), Error);
}

TEST(BarrierAlgorithms, PredictionsAreWhatIsBuilt) {
  const CostModel costs(1.0);
  for (int p = 1; p <= 30; ++p) {
    for (const Algorithm& row : registry().algorithms) {
      const Chosen made = choose({0, p, costs}, row.name, Ordering::dependencies);
      const Prediction built = costs.schedule(*made.schedule);
      EXPECT_EQ(made.candidates.front().prediction.rounds, built.rounds) << made.plan << ", p " << p;
      if (p > 1) {
        EXPECT_EQ(made.candidates.front().prediction.phases, built.phases) << made.plan << ", p " << p;
      }
      EXPECT_LE(made.schedule->tags(), most_tags(p));
    }
  }
}

}  // namespace
}  // namespace rondo::internal::barrier::algorithms_test
