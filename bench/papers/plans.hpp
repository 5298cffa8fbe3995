/// @file
/// Runs one algorithm of an exchange, by its name.
#ifndef RONDO_BENCH_PAPERS_PLANS_HPP
#define RONDO_BENCH_PAPERS_PLANS_HPP

#include "bench/simulated/run_plans.hpp"
#include "figure.hpp"
#include "runtime/machine/machine.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace rondo::internal::papers {

/// The best plan of the algorithm, as the cost model says, or of all for "auto". None where the algorithm has none for
/// this problem.
template <typename Exchange>
[[nodiscard]] std::optional<Plan<typename Exchange::Problem>> plan_of(const Exchange& exchange,
                                                                      const std::string& algorithm) {
  auto offered = exchange.with_problem(
      0, [&](const auto& problem) { return plans_for(Exchange::registry(), problem, algorithm); });
  if (algorithm != "auto" && !offered.by_the_asked) return std::nullopt;
  return std::move(offered.plans.front());
}

/// More than so much data would take longer to carry and to look at than all else.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 24U;

template <typename Exchange>
[[nodiscard]] simulated::Outcome run(const machine::Machine& machine, const Exchange& exchange,
                                     const Plan<typename Exchange::Problem>& plan) {
  return simulated::run_plan(machine, exchange, plan, kMostBytes);
}

/// Runs it and adds it to the figure, under the name of the place's line; does nothing where there is no plan.
template <typename Exchange>
void add_run(Figure& figure, const Place& place, const machine::Machine& machine, const Exchange& exchange,
             const std::string& algorithm) {
  if (const auto plan = plan_of(exchange, algorithm))
    figure.add(place, plan->name, run(machine, exchange, *plan), machine.ranks());
}

}  // namespace rondo::internal::papers

#endif
