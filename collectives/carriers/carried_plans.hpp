/// @file
/// The plans of node-aware algorithms, which differ in how many ranks of a node share a message.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_PLANS_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_PLANS_HPP

#include "collectives/selection/selection.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// Returns the numbers of sharers (see visit_shipments_from()) that are worth predicting. The first is the size of the
/// fullest node. With one sharer, no rank hands its blocks over.
[[nodiscard]] std::vector<int> numbers_of_sharers(const NodeMembers& nodes);
/// Returns the name of the node-aware plan with this number of sharers.
[[nodiscard]] std::string name_of_carried(const NodeMembers& nodes, int sharers);

/// Share of its time by which a plan of a Cartesian collective without carriers is preferred (dense alltoalls prefer
/// the direct plan): carriers make messages longer, and two timings tell what a long one takes, alone or with others.
inline constexpr double kOthersPreferred = 0.1;

/// Share by which plans without carriers are preferred if they send far fewer messages: in reductions and halos. These
/// overlap, with what cores do, more than a prediction by sums can show. On simulated clusters a reduction dimension by
/// dimension took 0.61 to 0.76 of its prediction, a node-aware one 0.8 to 1.4.
inline constexpr double kFewMessagesPreferred = 0.25;

/// Sets in a plan without carriers the share of its time by which it is preferred. A function for Registry::correct.
template <typename Problem>
void prefer_others(const Problem& problem, Plan<Problem>& plan, double share) {
  if (problem.nodes != nullptr && plan.algorithm != "node-aware") plan.preferred = share;
}
template <typename Problem>
void prefer_others(const Problem& problem, Plan<Problem>& plan) {
  prefer_others(problem, plan, kOthersPreferred);
}
template <typename Problem>
void prefer_few_messages(const Problem& problem, Plan<Problem>& plan) {
  prefer_others(problem, plan, kFewMessagesPreferred);
}

/// Returns a node-aware plan for each of numbers_of_sharers(), with its entry of `predictions`. `build(problem,
/// sharers, builder)`: builds the schedule of such a plan.
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
