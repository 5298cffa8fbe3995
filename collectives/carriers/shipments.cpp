#include "collectives/carriers/shipments.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>

namespace rondo::internal {
namespace {

/// Nodes that a node comes across before the other one, on its way around all of them.
std::uint32_t distance(const NodeMembers& nodes, int from, int to) {
  return static_cast<std::uint32_t>((to - from + nodes.nodes()) % nodes.nodes());
}

/// The turn of the node `other` among those that `node` sends to, or receives from.
std::size_t turn_of(int other, int node, const std::vector<int>& partners, const NodeMembers& nodes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      partners, [&](int each) { return distance(nodes, node, each) < distance(nodes, node, other); }));
}

/// The one that turns by turns come to, from the first or the last one on.
int in_turn(std::span<const int> ranks, std::size_t turn) { return ranks[turn % ranks.size()]; }
int in_turn_from_the_end(std::span<const int> ranks, std::size_t turn) {
  return ranks[ranks.size() - 1 - turn % ranks.size()];
}

std::vector<int> distinct(std::span<const Parcel> parcels, int Parcel::*end) {
  std::vector<int> ranks;
  for (const Parcel& parcel : parcels) ranks.push_back(parcel.*end);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/// Cuts what goes between a pair of nodes into shipments.
class Cutting {
 public:
  Cutting(const NodeTraffic& traffic, int sharers) : traffic_(traffic), sharers_(static_cast<std::size_t>(sharers)) {}

  /// `parcels`: by source. `other`: the node beside the one that is looked at.
  void cut(int from, int to, int other, std::span<Parcel> parcels, Shipments& into) const {
    const NodeMembers& nodes = traffic_.nodes();
    const std::size_t sending_turn = turn_of(to, from, traffic_.targets_of(from), nodes);
    const std::size_t receiving_turn = turn_of(from, to, traffic_.sources_of(to), nodes);
    for (std::size_t number = 0; !parcels.empty(); ++number) {
      const std::span<Parcel> shared = parcels.first(shared_by(parcels));
      const auto index = static_cast<std::uint32_t>(into.shipments.size());
      for (Parcel& parcel : shared) parcel.shipment = index;
      into.shipments.push_back({other, in_turn(distinct(shared, &Parcel::source), sending_turn),
                                in_turn_from_the_end(distinct(shared, &Parcel::target), receiving_turn + number)});
      parcels = parcels.subspan(shared.size());
    }
  }

 private:
  /// How many of the parcels are from the first ranks.
  [[nodiscard]] std::size_t shared_by(std::span<const Parcel> parcels) const {
    std::size_t end = 0;
    for (std::size_t sources = 0; sources < sharers_ && end < parcels.size(); ++sources) {
      const int source = parcels[end].source;
      while (end < parcels.size() && parcels[end].source == source) ++end;
    }
    return end;
  }

  const NodeTraffic& traffic_;
  std::size_t sharers_;
};

/// `other_end`: of a parcel, the one on another node.
Shipments cut(const NodeTraffic& traffic, int node, int sharers, std::vector<Parcel> parcels, int Parcel::*other_end) {
  const NodeMembers& nodes = traffic.nodes();
  const auto other_node = [&](const Parcel& parcel) { return nodes.node_of(parcel.*other_end); };
  // Until they are cut: the number of the other node, counted from this one.
  for (Parcel& parcel : parcels) parcel.shipment = distance(nodes, node, other_node(parcel));
  std::ranges::sort(parcels, {}, [](const Parcel& parcel) {
    return std::tuple(parcel.shipment, parcel.source, parcel.target, parcel.number);
  });
  Shipments cut;
  const Cutting cutting(traffic, sharers);
  const bool leaving = other_end == &Parcel::target;
  std::span<Parcel> rest(parcels);
  while (!rest.empty()) {
    const std::uint32_t first = rest.front().shipment;
    const auto end = std::ranges::find_if(rest, [&](const Parcel& parcel) { return parcel.shipment != first; });
    const std::span<Parcel> pair = rest.first(static_cast<std::size_t>(end - rest.begin()));
    const int other = other_node(pair.front());
    cutting.cut(leaving ? node : other, leaving ? other : node, other, pair, cut);
    rest = rest.subspan(pair.size());
  }
  cut.parcels = std::move(parcels);
  return cut;
}

}  // namespace

Shipments shipments_from(const NodeTraffic& traffic, int node, int sharers) {
  std::vector<Parcel> parcels;
  for (const int source : traffic.nodes().members(node)) {
    traffic.visit_sent(source, [&](int target, std::uint32_t number, std::int64_t bytes) {
      if (traffic.nodes().node_of(target) != node) parcels.push_back({0, source, target, number, bytes});
    });
  }
  return cut(traffic, node, sharers, std::move(parcels), &Parcel::target);
}

Shipments shipments_to(const NodeTraffic& traffic, int node, int sharers) {
  std::vector<Parcel> parcels;
  for (const int target : traffic.nodes().members(node)) {
    traffic.visit_received(target, [&](int source, std::uint32_t number, std::int64_t bytes) {
      if (traffic.nodes().node_of(source) != node) parcels.push_back({0, source, target, number, bytes});
    });
  }
  return cut(traffic, node, sharers, std::move(parcels), &Parcel::source);
}

}  // namespace rondo::internal
