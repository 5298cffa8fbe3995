/// @file
/// The plans of node-aware algorithms: they differ in how many ranks of a node share a message.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_PLANS_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_PLANS_HPP

#include "collectives/carriers/carried_costs.hpp"
#include "collectives/selection/selection.hpp"

#include <string>
#include <vector>

namespace rondo::internal {

/// The numbers of sharers (see shipments_from()) that are worth a look, all ranks of a node first. With one, no rank
/// hands its blocks over.
[[nodiscard]] std::vector<int> numbers_of_sharers(const NodeMembers& nodes);
[[nodiscard]] std::string name_of_carried(const NodeMembers& nodes, int sharers);

/// `build(problem, sharers, builder)`: the lowering.
template <typename Problem>
[[nodiscard]] std::vector<Plan<Problem>> carried_plans(const NodeTraffic& traffic, BlockUse use, const CostModel& costs,
                                                       void (*build)(const Problem&, int, ScheduleBuilder&)) {
  std::vector<Plan<Problem>> plans;
  for (const int sharers : numbers_of_sharers(traffic.nodes())) {
    plans.push_back({name_of_carried(traffic.nodes(), sharers), predict_carried(traffic, sharers, use, costs),
                     [=](const Problem& problem, ScheduleBuilder& builder) { build(problem, sharers, builder); }});
  }
  return plans;
}

}  // namespace rondo::internal

#endif
