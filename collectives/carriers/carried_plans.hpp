/// @file
/// The plans of node-aware algorithms: they differ in how many ranks of a node share a message.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_PLANS_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_PLANS_HPP

#include "collectives/selection/selection.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// The numbers of sharers (see visit_shipments_from()) that are worth a look, all ranks of a node first. With one, no
/// rank hands its blocks over.
[[nodiscard]] std::vector<int> numbers_of_sharers(const NodeMembers& nodes);
[[nodiscard]] std::string name_of_carried(const NodeMembers& nodes, int sharers);

/// Share of its time that a plan of a Cartesian collective without carriers is preferred by (dense alltoalls prefer the
/// direct one): long messages between nodes have costs of their own
/// that nobody has timed, and carriers make messages longer.
inline constexpr double kOthersPreferred = 0.1;

/// As Registry::correct.
template <typename Problem>
void prefer_others(const Problem& problem, Plan<Problem>& plan) {
  if (problem.nodes != nullptr && plan.algorithm != "node-aware") plan.preferred = kOthersPreferred;
}

/// `predictions`: for numbers_of_sharers(); `build(problem, sharers, builder)`: the lowering.
template <typename Problem>
[[nodiscard]] std::vector<Plan<Problem>> carried_plans(const NodeMembers& nodes,
                                                       std::span<const Prediction> predictions,
                                                       void (*build)(const Problem&, int, ScheduleBuilder&)) {
  std::vector<Plan<Problem>> plans;
  const std::vector<int> numbers = numbers_of_sharers(nodes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    plans.push_back({name_of_carried(nodes, numbers[i]), predictions[i],
                     [build, sharers = numbers[i]](const Problem& problem, ScheduleBuilder& builder) {
                       build(problem, sharers, builder);
                     }});
  }
  return plans;
}

}  // namespace rondo::internal

#endif
