/// @file
/// Shipments: the messages between nodes, which of a node's blocks travel in which, and who carries them.
#ifndef RONDO_COLLECTIVES_CARRIERS_SHIPMENTS_HPP
#define RONDO_COLLECTIVES_CARRIERS_SHIPMENTS_HPP

#include "collectives/carriers/node_traffic.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A message from one node to another.
struct Shipment {
  int node;      ///< the other one
  int sender;    ///< carriers: one of the ranks whose blocks it has,
  int receiver;  ///< and one of those that they are for
};

/// A block on its way between two nodes.
struct Parcel {
  std::uint32_t shipment;  ///< what it travels in: an index
  int source;
  int target;
  std::uint32_t number;  ///< at the end on the node that is looked at
  std::int64_t bytes;
};

/// What leaves a node, or what comes to it. Of each other node, a shipment has the blocks of at most so many ranks. The
/// members of a node take turns as carriers, so that few of them serve several nodes: they send from the first one on,
/// and receive from the last one on. Every rank finds the same, for any node, from what all know.
struct Shipments {
  /// Those of one node follow each other, and begin with the node after this one, so that not all nodes send to the
  /// same one first.
  std::vector<Shipment> shipments;
  /// By shipment, source, target and number: alike at both ends, but for the numbers themselves.
  std::vector<Parcel> parcels;
};

/// O(b log b) for a node with b blocks, and once over the blocks of each node beside it. `sharers`: ranks that share a
/// shipment, at least 1.
[[nodiscard]] Shipments shipments_from(const NodeTraffic& traffic, int node, int sharers);
[[nodiscard]] Shipments shipments_to(const NodeTraffic& traffic, int node, int sharers);

}  // namespace rondo::internal

#endif
