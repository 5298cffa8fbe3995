/// @file
/// SharedBlockLegs: the messages that bring shared blocks, which a rank sends to several others, to these ranks.
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

/// The messages of one rank that bring shared blocks to their targets, in three legs, each after the one before. A
/// block goes once to each node that has a rank that wants it, and once to each such rank.
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

  /// Finds the messages of `rank`. `sharers`: see visit_shipments_from().
  SharedBlockLegs(const NodeTraffic& traffic, int rank, int sharers);
};

}  // namespace rondo::internal

#endif
