/// @file
/// Predictions of the cost of node-aware schedules: messages between nodes, and what carriers do for them.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_COSTS_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_COSTS_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "collectives/selection/cost_model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The two uses of a rank's blocks: each block is for one other rank, or one block is for all of them and goes once to
/// each carrier, node and rank.
enum class BlockUse : std::uint8_t { each_for_one, one_for_all };

/// Returns the predicted cost of node-aware schedules for the busiest rank, one for each number in `sharers`: see
/// visit_shipments_from(). The messages that stay on its node are included, one for each rank there. The same on all
/// ranks. Of many nodes, only some are predicted.
[[nodiscard]] std::vector<Prediction> predict_carried(const NodeTraffic& traffic, std::span<const int> sharers,
                                                      BlockUse use, const CostModel& costs);

/// Returns the predicted cost of a node-aware alltoall in which all ranks send a block of `bytes` bytes to all, as if
/// all nodes had as many ranks as the fullest one. O(1).
[[nodiscard]] Prediction predict_carried_all_to_all(const NodeMembers& nodes, int sharers, std::int64_t bytes,
                                                    const CostModel& costs);

}  // namespace rondo::internal

#endif
