/// @file
/// Shipments: the messages between nodes, which of a node's blocks travel in which, and who carries them.
#ifndef RONDO_COLLECTIVES_CARRIERS_SHIPMENTS_HPP
#define RONDO_COLLECTIVES_CARRIERS_SHIPMENTS_HPP

#include "collectives/carriers/node_traffic.hpp"

#include <functional>
#include <span>

namespace rondo::internal {

/// A message from one node to another.
struct Shipment {
  int sender;    ///< carriers: one of the ranks whose blocks it has,
  int receiver;  ///< and one of those that they are for
  /// Its blocks, by source, target and number: alike at both ends, but for the numbers themselves. Valid while it is
  /// visited.
  std::span<const Parcel> parcels;
};
using VisitShipment = std::function<void(const Shipment&)>;

/// What leaves a node, or what comes to it, in the order of NodeTraffic::visit_leaving(). A shipment has the blocks of
/// at most `sharers` ranks, at least 1. The members of a node take turns as carriers, so that few of them serve several
/// nodes, and those that follow each other are at different links where a node has several: they send from the first
/// one on, and receive from the last one on. Every rank finds the same, for any node, from what all know.
void visit_shipments_from(const NodeTraffic& traffic, int node, int sharers, const VisitShipment& visit);
void visit_shipments_to(const NodeTraffic& traffic, int node, int sharers, const VisitShipment& visit);

/// Those between two nodes, of all that goes from the one to the other.
void visit_shipments(const NodeTraffic& traffic, int from, int to, std::span<const Parcel> parcels, int sharers,
                     const VisitShipment& visit);

}  // namespace rondo::internal

#endif
