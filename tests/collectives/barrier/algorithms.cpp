// Every plan of the barrier: no rank ends before all have begun.
#include "collectives/barrier/algorithms.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "runtime/check/barrier_check.hpp"
#include "runtime/check/schedule_checker.hpp"
#include "tests/support/cases/simulation.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal::barrier::algorithms_test {
namespace {

using Visit = std::function<void(const CollectiveCase&)>;

CollectiveCase barrier_case(int p, const Plan& plan, Ordering ordering, const CostModel& costs) {
  CollectiveCase made{
      "barrier, " + plan.name + describe_building(ordering, MessageForm::automatic, 0) + ", p " + std::to_string(p),
      {},
      {},
      std::vector<std::int64_t>(static_cast<std::size_t>(p), 1),
      std::vector<std::int64_t>(static_cast<std::size_t>(p), 0)};
  for (int rank = 0; rank < p; ++rank) {
    ScheduleBuilder builder(ordering);
    plan.build({rank, p, costs}, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  return made;
}

void for_each_barrier(int p, const Visit& visit) {
  const CostModel costs(1.0);
  for (const Algorithm& row : registry().algorithms) {
    for (const Plan& plan : row.plans({0, p, costs})) {
      for (const Ordering ordering : {Ordering::dependencies, Ordering::phases})
        visit(barrier_case(p, plan, ordering, costs));
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

TEST(BarrierAlgorithms, AreRightThroughSharedMemory) {
  std::uint64_t seed = 0;
  for (const Simulation::Ways ways : {Simulation::Ways::slots, Simulation::Ways::lanes, Simulation::Ways::mixed}) {
    for (const int p : {2, 5}) {
      for_each_barrier(p, [&](const CollectiveCase& each) {
        for (int i = 0; i < 10; ++i) ASSERT_EQ(simulate({&each, 1}, seed++, 5, ways), "");
      });
    }
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
