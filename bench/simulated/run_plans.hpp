/// @file
/// Runs the plans that a collective's registry has for an exchange, one after the other, on a simulated machine.
#ifndef RONDO_BENCH_SIMULATED_RUN_PLANS_HPP
#define RONDO_BENCH_SIMULATED_RUN_PLANS_HPP

#include "collectives/selection/selection.hpp"
#include "exchanges.hpp"
#include "runtime/machine/loggp_network.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/schedule/schedule.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal::simulated {

/// A plan and what it took.
struct Timing {
  std::string algorithm;
  std::string plan;
  double predicted;  ///< by the cost model, in nanoseconds; infinite where it is not to be chosen
  bool chosen;       ///< auto takes it
  double nanoseconds;
  machine::Traffic traffic;
  bool right;  ///< what arrived; true where nothing was carried
};

/// Where all ranks begin at once, when the last one ends; and whether all has arrived that should.
struct Outcome {
  double nanoseconds;
  machine::Traffic traffic;
  bool right;  ///< true where nothing was carried
  bool carried = false;
};
using Schedules = std::vector<std::shared_ptr<const Schedule>>;
/// Without data: buffers of so many bytes are not looked at.
[[nodiscard]] Outcome run_schedules(const machine::Machine& machine, const Schedules& schedules, std::size_t sent,
                                    std::size_t received);
/// Data are carried, and checked. `arriving(rank, i)`: the name of block i.
[[nodiscard]] Outcome run_schedules(const machine::Machine& machine, const Schedules& schedules, const BlockRow& sent,
                                    const BlockRow& received, const std::function<BlockName(int, int)>& arriving);

/// The schedules of a plan, one for each rank.
template <typename Exchange>
[[nodiscard]] Schedules schedules_of(const machine::Machine& machine, const Exchange& exchange,
                                     const Plan<typename Exchange::Problem>& plan) {
  Schedules schedules;
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    schedules.push_back(exchange.with_problem(rank, [&](const auto& problem) {
      ScheduleBuilder builder(rondo::Ordering::dependencies, rondo::MessageForm::automatic, problem.costs.form_costs());
      plan.build(problem, builder);
      return std::make_shared<const Schedule>(std::move(builder).build());
    }));
  }
  return schedules;
}

/// Up to so many ranks data are carried and checked, where the exchange says what must arrive.
inline constexpr int kMostRanksWithData = 128;

/// And of so many bytes that all ranks together receive, for who would rather not wait.
template <typename Exchange>
[[nodiscard]] Outcome run_plan(const machine::Machine& machine, const Exchange& exchange,
                               const Plan<typename Exchange::Problem>& plan,
                               std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) {
  const Schedules schedules = schedules_of(machine, exchange, plan);
  if constexpr (requires { exchange.arriving(0, 0); }) {
    const BlockRow& sent = exchange.sent();
    const BlockRow& received = exchange.received();
    const auto ranks = static_cast<std::size_t>(machine.ranks());
    if (machine.ranks() > kMostRanksWithData || received.bytes() > most_bytes / ranks)
      return run_schedules(machine, schedules, sent.bytes(), received.bytes());
    return run_schedules(machine, schedules, sent, received,
                         [&](int rank, int i) { return exchange.arriving(rank, i); });
  } else {
    return run_schedules(machine, schedules, exchange.sent_bytes(), exchange.received_bytes());
  }
}

/// Calls visit(timing) for the direct plan, and then for those of the registry's rows of these names, or of all rows
/// where there are none; the one that auto takes is among them.
template <typename Exchange, typename Visit>
void run_plans(const machine::Machine& machine, const Exchange& exchange, std::span<const std::string> algorithms,
               Visit visit) {
  const auto offered = exchange.with_problem(
      0, [](const auto& problem) { return plans_for(Exchange::registry(), problem, "auto").plans; });
  const auto is_direct = [](const auto& plan) { return plan.algorithm == "direct"; };
  const auto run = [&](const auto& plan) {
    const Outcome outcome = run_plan(machine, exchange, plan);
    visit(Timing{std::string(plan.algorithm), plan.name, plan.prediction.nanoseconds, &plan == offered.data(),
                 outcome.nanoseconds, outcome.traffic, outcome.right});
  };
  for (const auto& plan : offered) {
    if (is_direct(plan)) run(plan);
  }
  for (const auto& plan : offered) {
    const bool wanted = algorithms.empty() || &plan == offered.data() ||
                        std::ranges::find(algorithms, plan.algorithm) != algorithms.end();
    if (wanted && !is_direct(plan)) run(plan);
  }
}

}  // namespace rondo::internal::simulated

#endif
