/// @file
/// nearness_of_pairs(): tells whether the messages between pairs of ranks stay on their nodes.
#ifndef RONDO_COLLECTIVES_SELECTION_NEARNESS_HPP
#define RONDO_COLLECTIVES_SELECTION_NEARNESS_HPP

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"

namespace rondo::internal {

/// Returns near if each rank shares its node with the rank whose number differs in bit k (2^k = `distance`), wherever
/// there is such a rank, otherwise far. Returns far if `nodes` is null: there is only one node, or nodes are unknown.
[[nodiscard]] inline Nearness nearness_of_pairs(const NodeMembers* nodes, int distance) noexcept {
  return nodes != nullptr && nodes->hold_pairs(distance) ? Nearness::near : Nearness::far;
}

}  // namespace rondo::internal

#endif
