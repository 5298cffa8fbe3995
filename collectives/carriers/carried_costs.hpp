/// @file
/// What messages between nodes are predicted to cost, with what carriers do for them.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_COSTS_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_COSTS_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "collectives/selection/cost_model.hpp"

#include <cstdint>

namespace rondo::internal {

/// Whether a rank sends each of its blocks to one other, or one block to all of them, so that it goes once to each
/// carrier, node and rank.
enum class BlockUse : std::uint8_t { each_for_one, one_for_all };

/// What node-aware schedules cost the busiest rank, together with the messages that stay on its node, one for each rank
/// there. `sharers`: see shipments_from(). The same on all ranks. Of very many ranks it looks at the first nodes only.
[[nodiscard]] Prediction predict_carried(const NodeTraffic& traffic, int sharers, BlockUse use, const CostModel& costs);

}  // namespace rondo::internal

#endif
