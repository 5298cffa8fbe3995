/// @file
/// Shared blocks: those that a rank sends to several others, and which messages bring them there.
#ifndef RONDO_COLLECTIVES_CARRIERS_SHARED_BLOCKS_HPP
#define RONDO_COLLECTIVES_CARRIERS_SHARED_BLOCKS_HPP

#include "collectives/carriers/node_traffic.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A block that is for several ranks.
struct SharedBlock {
  int source;
  std::uint32_t number;  ///< NodeTraffic::shared_number()
  friend auto operator<=>(const SharedBlock&, const SharedBlock&) = default;
};

/// The messages of one rank, in three legs, each after the one before. A block goes once to each node where somebody
/// wants it, and once to each rank there.
struct SharedBlockLegs {
  struct Message {
    int partner;
    std::vector<SharedBlock> blocks;  ///< ascending, so alike at both ends
  };
  struct Leg {
    std::vector<Message> sent;
    std::vector<Message> received;
  };
  Leg on_the_node;  ///< to neighbors and to carriers: one message is for a rank that is both
  Leg between_nodes;
  Leg hand_out;

  /// See visit_shipments_from() for `sharers`.
  SharedBlockLegs(const NodeTraffic& traffic, int rank, int sharers);
};

}  // namespace rondo::internal

#endif
