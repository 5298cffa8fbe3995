// Node-aware alltoall, beyond the papers: members of a node hand their blocks to carriers, as node-aware neighborhood
// collectives do (Bienz, Gropp, Olson, 2019), but from the grid alone: ranks tell each other nothing about the pattern.
#include "collectives/carriers/carried_alltoall.hpp"

#include "collectives/blocks/message_cut.hpp"
#include "collectives/carriers/shipments.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal {
namespace {

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
  /// `end`: of a parcel or a shipment, the one on this node; `own`: the rank's own blocks, by number.
  Share(const Shipments& all, int Parcel::*end, int Shipment::*carrier, const NodeMembers& nodes, int rank,
        std::span<const BlockId> own, ScheduleBuilder& builder)
      : shipped(all.shipments.size()), carried_for(nodes, nodes.node_of(rank)), left_to(nodes, nodes.node_of(rank)) {
    for (const Parcel& parcel : all.parcels) {
      const int owner = parcel.*end;
      const int carried_by = all.shipments[parcel.shipment].*carrier;
      if (carried_by == rank) {
        const BlockId block = owner == rank ? own[parcel.number] : builder.transit(parcel.bytes);
        if (owner != rank) carried_for.add(owner, block);
        shipped[parcel.shipment].push_back(block);
      } else if (owner == rank) {
        left_to.add(carried_by, own[parcel.number]);
      }
    }
  }

  std::vector<std::vector<BlockId>> shipped;  ///< by shipment, where it is the carrier
  ByMember carried_for;                       ///< other members
  ByMember left_to;                           ///< carriers: its own blocks
};

}  // namespace

void build_carried(const NodeTraffic& traffic, int rank, int sharers, const CarriedBlocks& blocks,
                   std::uint32_t first_tag, ScheduleBuilder& builder) {
  const std::uint32_t hand_over = first_tag;
  const std::uint32_t between_nodes = first_tag + 1;
  const std::uint32_t hand_out = first_tag + 2;
  const NodeMembers& nodes = traffic.nodes();
  const Shipments leaving = shipments_from(traffic, nodes.node_of(rank), sharers);
  const Shipments arriving = shipments_to(traffic, nodes.node_of(rank), sharers);
  const Share out(leaving, &Parcel::source, &Shipment::sender, nodes, rank, blocks.send, builder);
  const Share in(arriving, &Parcel::target, &Shipment::receiver, nodes, rank, blocks.recv, builder);

  out.left_to.for_each([&](int carrier, std::span<const BlockId> it) { builder.send(carrier, hand_over, it); });
  out.carried_for.for_each([&](int source, std::span<const BlockId> it) { builder.receive(source, hand_over, it); });

  builder.begin_phase();
  for (std::size_t i = 0; i < out.shipped.size(); ++i) {
    if (!out.shipped[i].empty()) builder.send(leaving.shipments[i].receiver, between_nodes, out.shipped[i]);
  }
  for (std::size_t i = 0; i < in.shipped.size(); ++i) {
    if (!in.shipped[i].empty()) builder.receive(arriving.shipments[i].sender, between_nodes, in.shipped[i]);
  }

  builder.begin_phase();
  in.carried_for.for_each([&](int target, std::span<const BlockId> it) { builder.send(target, hand_out, it); });
  in.left_to.for_each([&](int carrier, std::span<const BlockId> it) { builder.receive(carrier, hand_out, it); });
}

bool fits_carriers(const NodeMembers& nodes, std::int64_t bytes) { return bytes <= kLongestMessage / nodes.most(); }

}  // namespace rondo::internal
