// Node-aware alltoall, beyond the papers: members of a node hand their blocks to carriers, as node-aware neighborhood
// collectives do (Bienz, Gropp, Olson, 2019), but from the grid alone: ranks exchange nothing about the pattern.
#include "collectives/carriers/carried_alltoall.hpp"

#include "collectives/blocks/message_cut.hpp"
#include "collectives/carriers/shipments.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal {
namespace {

/// Lists of blocks, one for each member of a node that blocks go to or come from.
class ByMember {
 public:
  ByMember(const NodeMembers& nodes, int node)
      : nodes_(nodes), members_(nodes.members(node)), blocks_(members_.size()) {}

  void add(int member, BlockId block) { blocks_[nodes_.place_of(member)].push_back(block); }
  /// Calls visit(member, blocks) for each member that has any blocks.
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

/// One rank's part in the shipments that leave its node, or in those that come to it.
class Share {
 public:
  struct Message {
    int partner;  ///< on the other node
    std::vector<BlockId> blocks;
  };

  /// `end` and `carrier`: the members of a parcel and of a shipment that are on this node. `partner`: the carrier on
  /// the other node. `own`: the rank's own blocks, by number.
  Share(int Parcel::*end, int Shipment::*carrier, int Shipment::*partner, const NodeMembers& nodes, int rank,
        std::span<const BlockId> own, ScheduleBuilder& builder)
      : carried_for(nodes, nodes.node_of(rank)),
        left_to(nodes, nodes.node_of(rank)),
        end_(end),
        carrier_(carrier),
        partner_(partner),
        rank_(rank),
        own_(own),
        builder_(builder) {}

  void add(const Shipment& shipment) {
    const bool carries = shipment.*carrier_ == rank_;
    if (carries) shipped.push_back({shipment.*partner_, {}});
    for (const Parcel& parcel : shipment.parcels) {
      const int owner = parcel.*end_;
      if (carries) {
        const BlockId block = owner == rank_ ? own_[parcel.number] : builder_.transit(parcel.bytes);
        if (owner != rank_) carried_for.add(owner, block);
        shipped.back().blocks.push_back(block);
      } else if (owner == rank_) {
        left_to.add(shipment.*carrier_, own_[parcel.number]);
      }
    }
  }

  std::vector<Message> shipped;  ///< messages of which the rank is the carrier
  ByMember carried_for;          ///< blocks of other members that the rank carries
  ByMember left_to;              ///< the rank's own blocks, by carrier

 private:
  int Parcel::*end_;
  int Shipment::*carrier_;
  int Shipment::*partner_;
  int rank_;
  std::span<const BlockId> own_;
  ScheduleBuilder& builder_;
};

}  // namespace

void build_carried(const NodeTraffic& traffic, int rank, int sharers, const CarriedBlocks& blocks,
                   std::uint32_t first_tag, ScheduleBuilder& builder) {
  const std::uint32_t hand_over = first_tag;
  const std::uint32_t between_nodes = first_tag + 1;
  const std::uint32_t hand_out = first_tag + 2;
  const NodeMembers& nodes = traffic.nodes();
  const int here = nodes.node_of(rank);
  Share out(&Parcel::source, &Shipment::sender, &Shipment::receiver, nodes, rank, blocks.send, builder);
  Share in(&Parcel::target, &Shipment::receiver, &Shipment::sender, nodes, rank, blocks.recv, builder);
  visit_shipments_from(traffic, here, sharers, [&](const Shipment& shipment) { out.add(shipment); });
  visit_shipments_to(traffic, here, sharers, [&](const Shipment& shipment) { in.add(shipment); });

  out.left_to.for_each([&](int carrier, std::span<const BlockId> it) { builder.send(carrier, hand_over, it); });
  out.carried_for.for_each([&](int source, std::span<const BlockId> it) { builder.receive(source, hand_over, it); });

  builder.begin_phase();
  for (const Share::Message& message : out.shipped) builder.send(message.partner, between_nodes, message.blocks);
  for (const Share::Message& message : in.shipped) builder.receive(message.partner, between_nodes, message.blocks);

  builder.begin_phase();
  in.carried_for.for_each([&](int target, std::span<const BlockId> it) { builder.send(target, hand_out, it); });
  in.left_to.for_each([&](int carrier, std::span<const BlockId> it) { builder.receive(carrier, hand_out, it); });
}

bool fits_carriers(const NodeMembers& nodes, std::int64_t bytes) { return bytes <= kLongestMessage / nodes.most(); }

}  // namespace rondo::internal
