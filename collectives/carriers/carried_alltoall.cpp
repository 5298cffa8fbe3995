// Node-aware alltoall, beyond the papers: members of a node hand their blocks to carriers, as node-aware neighborhood
// collectives do (Bienz, Gropp, Olson, 2019), but from the grid alone: ranks tell each other nothing about the pattern.
#include "collectives/carriers/carried_alltoall.hpp"

#include "collectives/blocks/message_cut.hpp"
#include "collectives/carriers/carriers.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace rondo::internal {
namespace {

/// A block on its way between two nodes.
struct Parcel {
  std::size_t link;  ///< which of the nodes that the one looked at sends to, or receives from
  int target;
  int source;
  std::uint32_t number;  ///< at the end on the node that is looked at
  std::int64_t bytes;
};

/// In the order in which they travel: both ends of each message put them in order alike.
void put_in_order(std::vector<Parcel>& parcels) {
  std::ranges::sort(parcels, {}, [](const Parcel& parcel) {
    return std::tuple(parcel.link, parcel.target, parcel.source, parcel.number);
  });
}

/// Those that leave a node.
std::vector<Parcel> leaving(const NodeTraffic& traffic, int node, std::span<const int> targets) {
  std::vector<Parcel> parcels;
  for (const int source : traffic.nodes().members(node)) {
    traffic.visit_sent(source, [&](int target, std::uint32_t number, std::int64_t bytes) {
      const int to = traffic.nodes().node_of(target);
      if (to != node) parcels.push_back({position_of(to, targets), target, source, number, bytes});
    });
  }
  put_in_order(parcels);
  return parcels;
}

/// Those that come to it.
std::vector<Parcel> arriving(const NodeTraffic& traffic, int node, std::span<const int> sources) {
  std::vector<Parcel> parcels;
  for (const int target : traffic.nodes().members(node)) {
    traffic.visit_received(target, [&](int source, std::uint32_t number, std::int64_t bytes) {
      const int from = traffic.nodes().node_of(source);
      if (from != node) parcels.push_back({position_of(from, sources), target, source, number, bytes});
    });
  }
  put_in_order(parcels);
  return parcels;
}

/// Blocks by the member of a node that they go to or come from.
class ByMember {
 public:
  ByMember(const NodeMembers& nodes, int node)
      : nodes_(nodes), members_(nodes.members(node)), blocks_(members_.size()) {}

  void add(int member, BlockId block) { blocks_[nodes_.place_of(member)].push_back(block); }
  /// Calls visit(member, blocks) for each that has any.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t place = 0; place < blocks_.size(); ++place) {
      if (!blocks_[place].empty()) visit(members_[place], std::span<const BlockId>(blocks_[place]));
    }
  }

 private:
  const NodeMembers& nodes_;
  std::span<const int> members_;
  std::vector<std::vector<BlockId>> blocks_;
};

/// What one rank has to do with the parcels of its node in one direction.
struct Share {
  /// `end_of(parcel)`: the rank on this node that it is from, or for; `carrier_of(link)`: who carries it; `own`: the
  /// rank's own blocks, by number.
  template <typename EndOf, typename CarrierOf>
  Share(const std::vector<Parcel>& parcels, std::size_t links, const NodeMembers& nodes, int rank,
        std::span<const BlockId> own, EndOf end_of, CarrierOf carrier_of, ScheduleBuilder& builder)
      : between_nodes(links), carried_for(nodes, nodes.node_of(rank)), left_to(nodes, nodes.node_of(rank)) {
    for (const Parcel& parcel : parcels) {
      const int end = end_of(parcel);
      const int carrier = carrier_of(parcel.link);
      if (carrier == rank) {
        const BlockId block = end == rank ? own[parcel.number] : builder.transit(parcel.bytes);
        if (end != rank) carried_for.add(end, block);
        between_nodes[parcel.link].push_back(block);
      } else if (end == rank) {
        left_to.add(carrier, own[parcel.number]);
      }
    }
  }

  std::vector<std::vector<BlockId>> between_nodes;  ///< by link, where it is the carrier
  ByMember carried_for;                             ///< other members
  ByMember left_to;                                 ///< carriers: its own blocks
};

}  // namespace

void build_carried(const NodeTraffic& traffic, int rank, const CarriedBlocks& blocks, std::uint32_t first_tag,
                   ScheduleBuilder& builder) {
  const std::uint32_t hand_over = first_tag;
  const std::uint32_t between_nodes = first_tag + 1;
  const std::uint32_t hand_out = first_tag + 2;
  const NodeMembers& nodes = traffic.nodes();
  const int here = nodes.node_of(rank);
  const Carriers carriers(traffic, here);
  const auto targets = carriers.targets();
  const auto sources = carriers.sources();

  const Share out(
      leaving(traffic, here, targets), targets.size(), nodes, rank, blocks.send,
      [](const Parcel& parcel) { return parcel.source; }, [&](std::size_t i) { return carriers.sender_to(i); },
      builder);
  const Share in(
      arriving(traffic, here, sources), sources.size(), nodes, rank, blocks.recv,
      [](const Parcel& parcel) { return parcel.target; }, [&](std::size_t i) { return carriers.receiver_from(i); },
      builder);

  out.left_to.for_each([&](int carrier, std::span<const BlockId> it) { builder.send(carrier, hand_over, it); });
  out.carried_for.for_each([&](int source, std::span<const BlockId> it) { builder.receive(source, hand_over, it); });

  builder.begin_phase();
  for (std::size_t turn = 0; turn < targets.size(); ++turn) {
    const std::size_t i = carriers.target_in(turn);
    if (!out.between_nodes[i].empty()) builder.send(carriers.partner_at_target(i), between_nodes, out.between_nodes[i]);
  }
  for (std::size_t turn = 0; turn < sources.size(); ++turn) {
    const std::size_t i = carriers.source_in(turn);
    if (!in.between_nodes[i].empty())
      builder.receive(carriers.partner_at_source(i), between_nodes, in.between_nodes[i]);
  }

  builder.begin_phase();
  in.carried_for.for_each([&](int target, std::span<const BlockId> it) { builder.send(target, hand_out, it); });
  in.left_to.for_each([&](int carrier, std::span<const BlockId> it) { builder.receive(carrier, hand_out, it); });
}

bool fits_carriers(const NodeMembers& nodes, std::int64_t bytes) { return bytes <= kLongestMessage / nodes.most(); }

}  // namespace rondo::internal
