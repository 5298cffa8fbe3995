#include "collectives/carriers/shared_blocks.hpp"

#include "collectives/carriers/shipments.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::internal {
namespace {

using Blocks = std::vector<SharedBlock>;
using ByPartner = std::map<int, Blocks>;

/// Returns the blocks sorted and each only once. A block may occur in `blocks` several times, because it may be for
/// several ranks.
Blocks each_once(Blocks blocks) {
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

std::vector<SharedBlockLegs::Message> messages(ByPartner by_partner) {
  std::vector<SharedBlockLegs::Message> found;
  for (auto& [partner, blocks] : by_partner) found.push_back({partner, each_once(std::move(blocks))});
  return found;
}

Blocks all_of(const NodeTraffic& traffic, const Shipment& shipment) {
  Blocks blocks;
  for (const Parcel& parcel : shipment.parcels) blocks.push_back({parcel.source, traffic.shared_number(parcel.number)});
  return each_once(std::move(blocks));
}

}  // namespace

SharedBlockLegs::SharedBlockLegs(const NodeTraffic& traffic, int rank, int sharers) {
  const NodeMembers& nodes = traffic.nodes();
  const int node = nodes.node_of(rank);
  const auto is_near = [&](int other) { return other != rank && nodes.node_of(other) == node; };
  ByPartner given;
  ByPartner taken;
  traffic.visit_sent(rank, [&](int target, std::uint32_t number, std::int64_t) {
    if (is_near(target)) given[target].push_back({rank, traffic.shared_number(number)});
  });
  traffic.visit_received(rank, [&](int source, std::uint32_t number, std::int64_t) {
    if (is_near(source)) taken[source].push_back({source, traffic.shared_number(number)});
  });
  visit_shipments_from(traffic, node, sharers, [&](const Shipment& shipment) {
    const bool carries = shipment.sender == rank;
    if (carries) between_nodes.sent.push_back({shipment.receiver, all_of(traffic, shipment)});
    for (const Parcel& parcel : shipment.parcels) {
      const SharedBlock block{parcel.source, traffic.shared_number(parcel.number)};
      if (carries && parcel.source != rank) taken[parcel.source].push_back(block);
      if (!carries && parcel.source == rank) given[shipment.sender].push_back(block);
    }
  });
  on_the_node = {messages(std::move(given)), messages(std::move(taken))};

  ByPartner handed_out;
  ByPartner handed_in;
  visit_shipments_to(traffic, node, sharers, [&](const Shipment& shipment) {
    const bool carries = shipment.receiver == rank;
    if (carries) between_nodes.received.push_back({shipment.sender, all_of(traffic, shipment)});
    for (const Parcel& parcel : shipment.parcels) {
      const SharedBlock block{parcel.source, traffic.shared_number(parcel.number)};
      if (carries && parcel.target != rank) handed_out[parcel.target].push_back(block);
      if (!carries && parcel.target == rank) handed_in[shipment.receiver].push_back(block);
    }
  });
  hand_out = {messages(std::move(handed_out)), messages(std::move(handed_in))};
}

}  // namespace rondo::internal
