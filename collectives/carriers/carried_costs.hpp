/// @file
/// What messages between nodes are predicted to cost, with what carriers do for them.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_COSTS_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_COSTS_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "collectives/selection/cost_model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Whether a rank sends each of its blocks to one other, or one block to all of them, so that it goes once to each
/// carrier, node and rank.
enum class BlockUse : std::uint8_t { each_for_one, one_for_all };

/// What node-aware schedules cost the busiest rank, together with the messages that stay on its node, one for each rank
/// there: for each number of sharers, see visit_shipments_from(). The same on all ranks. Of many nodes it looks at
/// some.
[[nodiscard]] std::vector<Prediction> predict_carried(const NodeTraffic& traffic, std::span<const int> sharers,
                                                      BlockUse use, const CostModel& costs);

/// The same where all ranks send a block of `bytes` bytes to all, as if all nodes had as many ranks as the fullest one.
/// O(1).
[[nodiscard]] Prediction predict_carried_all_to_all(const NodeMembers& nodes, int sharers, std::int64_t bytes,
                                                    const CostModel& costs);

}  // namespace rondo::internal

#endif
