#include "collectives/carriers/shipments.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// The ranks of a node that take turns as carriers, each once in as many turns as there are ranks.
class Turns {
 public:
  explicit Turns(std::vector<int> ranks) : ranks_(std::move(ranks)), stride_(stride(ranks_.size())) {}

  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  [[nodiscard]] int rank(std::size_t turn) const { return ranks_[turn % size() * stride_ % size()]; }
  /// Returns the rank whose turn it is if turns are counted from the last one.
  [[nodiscard]] int rank_from_the_end(std::size_t turn) const { return rank(size() - 1 - turn % size()); }

 private:
  /// Returns the stride: by how many ranks successive turns are apart. A node may have several links, of which each
  /// rank uses one, in turn or in blocks; which way is not known here. Successive turns are a little more than a
  /// quarter of the ranks apart, so at different links of two or four, either way. The stride is one more than a
  /// multiple of four, so that this holds across lists of several lengths.
  [[nodiscard]] static std::size_t stride(std::size_t ranks) {
    std::size_t stride = ranks / 4 + 1;
    while (stride % 4 != 1 || std::gcd(stride, ranks) != 1) ++stride;
    return stride;
  }

  std::vector<int> ranks_;
  std::size_t stride_;
};

/// Returns how many of the parcels, which must be sorted by source, come from the first `sharers` sources.
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
  std::size_t at = 0;
  for (const Parcel& parcel : parcels) {
    if (members[at] > parcel.target) at = 0;  // the first one of another source
    while (members[at] < parcel.target) ++at;
    found[at] = true;
  }
  std::vector<int> targets;
  for (std::size_t place = 0; place < members.size(); ++place) {
    if (found[place]) targets.push_back(members[place]);
  }
  return targets;
}

/// A chooser of the ranks that receive the shipments that one node sends to another.
class Receivers {
 public:
  /// `node`: the receiving node. `parcels`: all blocks that the other node sends to it.
  Receivers(const NodeMembers& nodes, int node, std::size_t turn, std::span<const Parcel> parcels)
      : nodes_(nodes),
        members_(nodes.members(node)),
        turn_(turn),
        sources_(sources_of(parcels).size()),
        targets_(targets_of(parcels, members_)),
        shipments_(members_.size()) {}

  /// Returns the receiver of a shipment that comes after those of `sources_before` sources. Begins as far down the node
  /// as these are on theirs: in a grid neighbors then serve neighbors, and if all send to all, shipments that go at
  /// once are for ranks far apart. Takes the first target in turn that has the fewest shipments from that node.
  [[nodiscard]] int next(std::size_t sources_before, std::span<const Parcel> shipment) {
    std::vector<int> targets = targets_of(shipment, members_);
    const int beginning = targets_[sources_before * targets_.size() / sources_];
    std::rotate(targets.begin(), std::ranges::lower_bound(targets, beginning), targets.end());
    const Turns turns(std::move(targets));
    int receiver = turns.rank_from_the_end(turn_);
    for (std::size_t i = 1; i < turns.size() && shipments_of(receiver) > 0; ++i) {
      const int other = turns.rank_from_the_end(turn_ + i);
      if (shipments_of(other) < shipments_of(receiver)) receiver = other;
    }
    ++shipments_of(receiver);
    return receiver;
  }

 private:
  [[nodiscard]] int& shipments_of(int member) { return shipments_[nodes_.place_of(member)]; }

  const NodeMembers& nodes_;
  std::span<const int> members_;
  std::size_t turn_;
  std::size_t sources_;       ///< ranks that send
  std::vector<int> targets_;  ///< ranks that are sent to
  std::vector<int> shipments_;
};

}  // namespace

void visit_shipments(const NodeTraffic& traffic, int from, int to, std::span<const Parcel> parcels, int sharers,
                     const VisitShipment& visit) {
  if (parcels.empty()) return;
  const auto most = static_cast<std::size_t>(sharers);
  const std::size_t turn = traffic.sending_turn(from, to);
  Receivers receivers(traffic.nodes(), to, traffic.receiving_turn(from, to), parcels);
  for (std::size_t i = 0; !parcels.empty(); ++i) {
    const std::span<const Parcel> shared = parcels.first(shared_by(most, parcels));
    visit({Turns(sources_of(shared)).rank(turn + i), receivers.next(i * most, shared), shared});
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
