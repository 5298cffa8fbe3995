/// @file
/// Shipments: the messages between nodes, with the blocks that travel in each and the ranks that carry it.
#ifndef RONDO_COLLECTIVES_CARRIERS_SHIPMENTS_HPP
#define RONDO_COLLECTIVES_CARRIERS_SHIPMENTS_HPP

#include "collectives/carriers/node_traffic.hpp"

#include <functional>
#include <span>

namespace rondo::internal {

/// A message from one node to another.
struct Shipment {
  int sender;    ///< the carrier that sends: one of the ranks whose blocks it has
  int receiver;  ///< the carrier that receives: one of the ranks that the blocks are for
  /// The blocks, by source, target and number: alike at both ends, except for the numbers. Valid during the visit.
  std::span<const Parcel> parcels;
};
using VisitShipment = std::function<void(const Shipment&)>;

/// Visits the shipments that leave a node (come to it), in the order of NodeTraffic::visit_leaving() or
/// visit_arriving(). A shipment has the blocks of at most `sharers` ranks, at least 1. The members of a node serve as
/// carriers one after the other, so that few of them serve several nodes, and successive ones are at different links if
/// a node has several. Members send from the first one on, and receive from the last one on. Every rank finds the same
/// shipments, for any node, from what all ranks know.
void visit_shipments_from(const NodeTraffic& traffic, int node, int sharers, const VisitShipment& visit);
void visit_shipments_to(const NodeTraffic& traffic, int node, int sharers, const VisitShipment& visit);

/// Visits the shipments between two nodes. `parcels`: all blocks that go from node `from` to node `to`.
void visit_shipments(const NodeTraffic& traffic, int from, int to, std::span<const Parcel> parcels, int sharers,
                     const VisitShipment& visit);

}  // namespace rondo::internal

#endif
