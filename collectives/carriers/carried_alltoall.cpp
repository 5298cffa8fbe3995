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
  explicit ByMember(std::span<const int> members) : members_(members), blocks_(members.size()) {}

  void add(int member, BlockId block) {
    blocks_[static_cast<std::size_t>(std::ranges::lower_bound(members_, member) - members_.begin())].push_back(block);
  }
  /// Calls visit(member, blocks) for each that has any.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t place = 0; place < blocks_.size(); ++place) {
      if (!blocks_[place].empty()) visit(members_[place], std::span<const BlockId>(blocks_[place]));
    }
  }

 private:
  std::span<const int> members_;
  std::vector<std::vector<BlockId>> blocks_;
};

}  // namespace

void build_carried(const NodeTraffic& traffic, int rank, const CarriedBlocks& blocks, std::uint32_t first_tag,
                   ScheduleBuilder& builder) {
  const std::uint32_t hand_over = first_tag;
  const std::uint32_t between_nodes = first_tag + 1;
  const std::uint32_t hand_out = first_tag + 2;
  const int here = traffic.nodes().node_of(rank);
  const auto members = traffic.nodes().members(here);
  const Carriers carriers(traffic, here);

  std::vector<std::vector<BlockId>> to_node(carriers.targets().size());
  ByMember handed(members);
  ByMember taken(members);
  for (const Parcel& parcel : leaving(traffic, here, carriers.targets())) {
    const int carrier = carriers.sender_to(parcel.link);
    const bool own = parcel.source == rank;
    if (carrier == rank) {
      const BlockId block = own ? blocks.send[parcel.number] : builder.transit(parcel.bytes);
      if (!own) taken.add(parcel.source, block);
      to_node[parcel.link].push_back(block);
    } else if (own) {
      handed.add(carrier, blocks.send[parcel.number]);
    }
  }
  handed.for_each([&](int carrier, std::span<const BlockId> message) { builder.send(carrier, hand_over, message); });
  taken.for_each([&](int source, std::span<const BlockId> message) { builder.receive(source, hand_over, message); });

  std::vector<std::vector<BlockId>> from_node(carriers.sources().size());
  ByMember passed_on(members);
  ByMember delivered(members);
  for (const Parcel& parcel : arriving(traffic, here, carriers.sources())) {
    const int carrier = carriers.receiver_from(parcel.link);
    const bool own = parcel.target == rank;
    if (carrier == rank) {
      const BlockId block = own ? blocks.recv[parcel.number] : builder.transit(parcel.bytes);
      if (!own) passed_on.add(parcel.target, block);
      from_node[parcel.link].push_back(block);
    } else if (own) {
      delivered.add(carrier, blocks.recv[parcel.number]);
    }
  }
  builder.begin_phase();
  for (std::size_t turn = 0; turn < to_node.size(); ++turn) {
    const std::size_t i = carriers.target_in(turn);
    if (!to_node[i].empty()) builder.send(carriers.partner_at_target(i), between_nodes, to_node[i]);
  }
  for (std::size_t turn = 0; turn < from_node.size(); ++turn) {
    const std::size_t i = carriers.source_in(turn);
    if (!from_node[i].empty()) builder.receive(carriers.partner_at_source(i), between_nodes, from_node[i]);
  }

  builder.begin_phase();
  passed_on.for_each([&](int target, std::span<const BlockId> message) { builder.send(target, hand_out, message); });
  delivered.for_each(
      [&](int carrier, std::span<const BlockId> message) { builder.receive(carrier, hand_out, message); });
}

bool fits_carriers(const NodeMembers& nodes, std::int64_t bytes) { return bytes <= kLongestMessage / nodes.most(); }

}  // namespace rondo::internal
