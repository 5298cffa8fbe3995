/// @file
/// Which messages of an algorithm stay on their nodes.
#ifndef RONDO_COLLECTIVES_SELECTION_NEARNESS_HPP
#define RONDO_COLLECTIVES_SELECTION_NEARNESS_HPP

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"

namespace rondo::internal {

/// Of the messages between all ranks whose numbers differ in one bit, 2^k = `distance`. `nodes`: null where there is
/// one only, or nobody knows.
[[nodiscard]] inline Nearness nearness_of_pairs(const NodeMembers* nodes, int distance) noexcept {
  return nodes != nullptr && nodes->hold_pairs(distance) ? Nearness::near : Nearness::far;
}

}  // namespace rondo::internal

#endif
