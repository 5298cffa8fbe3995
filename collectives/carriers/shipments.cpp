#include "collectives/carriers/shipments.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rondo::internal {
namespace {

/// The one that turns by turns come to, from the first or the last one on.
int in_turn(std::span<const int> ranks, std::size_t turn) { return ranks[turn % ranks.size()]; }
int in_turn_from_the_end(std::span<const int> ranks, std::size_t turn) {
  return ranks[ranks.size() - 1 - turn % ranks.size()];
}

/// How many of the parcels, which are by source, are from the first `sharers` ranks.
std::size_t shared_by(std::size_t sharers, std::span<const Parcel> parcels) {
  std::size_t end = 0;
  for (std::size_t sources = 0; sources < sharers && end < parcels.size(); ++sources) {
    const int source = parcels[end].source;
    while (end < parcels.size() && parcels[end].source == source) ++end;
  }
  return end;
}

std::vector<int> sources_of(std::span<const Parcel> parcels) {
  std::vector<int> sources;
  for (const Parcel& parcel : parcels) {
    if (sources.empty() || sources.back() != parcel.source) sources.push_back(parcel.source);
  }
  return sources;
}

std::vector<int> targets_of(std::span<const Parcel> parcels, std::span<const int> members) {
  std::vector<bool> found(members.size());
  for (const Parcel& parcel : parcels)
    found[static_cast<std::size_t>(std::ranges::lower_bound(members, parcel.target) - members.begin())] = true;
  std::vector<int> targets;
  for (std::size_t place = 0; place < members.size(); ++place) {
    if (found[place]) targets.push_back(members[place]);
  }
  return targets;
}

}  // namespace

void visit_shipments(const NodeTraffic& traffic, int from, int to, std::span<const Parcel> parcels, int sharers,
                     const VisitShipment& visit) {
  const auto most = static_cast<std::size_t>(sharers);
  const std::size_t shipments = (sources_of(parcels).size() + most - 1) / most;
  const std::size_t sending_turn = traffic.sending_turn(from, to);
  // As if all pairs of nodes had so many: each takes turns of its own.
  std::size_t receiving_turn = traffic.receiving_turn(from, to) * shipments;
  for (; !parcels.empty(); ++receiving_turn) {
    const std::span<const Parcel> shared = parcels.first(shared_by(most, parcels));
    visit({in_turn(sources_of(shared), sending_turn),
           in_turn_from_the_end(targets_of(shared, traffic.nodes().members(to)), receiving_turn), shared});
    parcels = parcels.subspan(shared.size());
  }
}

void visit_shipments_from(const NodeTraffic& traffic, int node, int sharers, const VisitShipment& visit) {
  traffic.visit_leaving(node, [&](int to, std::span<const Parcel> parcels) {
    visit_shipments(traffic, node, to, parcels, sharers, visit);
  });
}

void visit_shipments_to(const NodeTraffic& traffic, int node, int sharers, const VisitShipment& visit) {
  traffic.visit_arriving(node, [&](int from, std::span<const Parcel> parcels) {
    visit_shipments(traffic, from, node, parcels, sharers, visit);
  });
}

}  // namespace rondo::internal
