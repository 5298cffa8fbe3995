// Node-aware allgather on a grid of processes, beyond the papers: a block goes once to each node where it has a
// neighbor, and once to each rank there, as a block that is for several ranks need not cross the network for each.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/carriers/cart_traffic.hpp"
#include "collectives/carriers/shipments.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_allgather/landings.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rondo::internal::allgather {
namespace {

constexpr std::uint32_t kOnTheNode = 0;
constexpr std::uint32_t kBetweenNodes = 1;
constexpr std::uint32_t kHandOut = 2;
constexpr std::uint32_t kTags = 3;

auto traffic_of(const Problem& problem) {
  const auto bytes_from = [&problem](int source, std::uint32_t /*number*/) { return bytes_of(problem, source); };
  return CartTraffic<decltype(bytes_from)>(*problem.nodes, problem.grid, problem.facts.neighborhood(), bytes_from);
}

/// The blocks of a message, by the ranks that they are of.
using Sources = std::vector<int>;

void add_once(Sources& sources, int source) {
  if (sources.empty() || sources.back() != source) sources.push_back(source);
}

struct Message {
  int partner;  ///< on the other node
  Sources sources;
};

/// What leaves the node, as far as one rank has to do with it.
struct Leaving {
  Leaving(const NodeTraffic& traffic, int rank, int sharers) {
    visit_shipments_from(traffic, traffic.nodes().node_of(rank), sharers, [&](const Shipment& shipment) {
      if (shipment.sender == rank) shipped.push_back({shipment.receiver, {}});
      for (const Parcel& parcel : shipment.parcels) {
        if (shipment.sender == rank)
          add_once(shipped.back().sources, parcel.source);
        else if (parcel.source == rank)
          carriers.insert(shipment.sender);
      }
    });
  }

  std::vector<Message> shipped;  ///< where it is the sender
  std::set<int> carriers;        ///< of its own block
};

/// What comes to it.
struct Arriving {
  Arriving(const NodeTraffic& traffic, int rank, int sharers) {
    visit_shipments_to(traffic, traffic.nodes().node_of(rank), sharers, [&](const Shipment& shipment) {
      if (shipment.receiver == rank) shipped.push_back({shipment.sender, {}});
      for (const Parcel& parcel : shipment.parcels) {
        if (shipment.receiver == rank) {
          add_once(shipped.back().sources, parcel.source);
          if (parcel.target != rank) add_once(handed_to[parcel.target], parcel.source);
        } else if (parcel.target == rank) {
          add_once(from[shipment.receiver], parcel.source);
        }
      }
    });
  }

  std::vector<Message> shipped;      ///< where it is the receiver
  std::map<int, Sources> handed_to;  ///< by member
  std::map<int, Sources> from;       ///< by carrier
};

class NodeAwareAllgather {
 public:
  NodeAwareAllgather(const Problem& problem, int sharers, ScheduleBuilder& builder)
      : problem_(problem),
        traffic_(traffic_of(problem)),
        rank_(problem.grid.rank()),
        node_(problem.nodes->node_of(rank_)),
        builder_(builder),
        own_(builder.block(Space::send, problem.send.offset, *problem.send.layout)),
        landings_(problem, builder),
        leaving_(traffic_, rank_, sharers),
        arriving_(traffic_, rank_, sharers) {
    traffic_.visit_received(rank_, [&](int source, std::uint32_t number, std::int64_t) {
      ends_[source].push_back(static_cast<int>(number));
    });
  }

  void build() {
    exchange_on_the_node();
    builder_.begin_phase();
    exchange_between_nodes();
    builder_.begin_phase();
    hand_out();
    copy_to_self(problem_, own_, ends_[rank_], builder_);
    builder_.reserve_tags(kTags);
  }

 private:
  /// A rank may be a neighbor and a carrier at once: one message is for both.
  void exchange_on_the_node() {
    std::set<int> targets = leaving_.carriers;
    traffic_.visit_sent(rank_, [&](int target, std::uint32_t, std::int64_t) {
      if (target != rank_ && problem_.nodes->node_of(target) == node_) targets.insert(target);
    });
    std::set<int> sources;
    for (const auto& [source, ends] : ends_) {
      if (problem_.nodes->node_of(source) == node_) sources.insert(source);
    }
    for (const Message& shipped : leaving_.shipped) sources.insert(shipped.sources.begin(), shipped.sources.end());
    sources.erase(rank_);

    const auto shipped = static_cast<std::size_t>(std::ranges::count_if(
        leaving_.shipped, [&](const Message& message) { return std::ranges::count(message.sources, rank_) > 0; }));
    where_it_is_[rank_] = block_to_send(problem_, own_, targets.size() + shipped, builder_);
    for (const int target : targets) send(target, kOnTheNode, {rank_});
    for (const int source : sources) receive(source, kOnTheNode, {source});
  }

  void exchange_between_nodes() {
    for (const auto& [receiver, sources] : leaving_.shipped) send(receiver, kBetweenNodes, sources);
    for (const auto& [sender, sources] : arriving_.shipped) receive(sender, kBetweenNodes, sources);
  }

  void hand_out() {
    for (const auto& [target, sources] : arriving_.handed_to) send(target, kHandOut, sources);
    for (const auto& [carrier, sources] : arriving_.from) receive(carrier, kHandOut, sources);
  }

  void send(int target, std::uint32_t tag, const Sources& sources) {
    if (sources.empty()) return;
    std::vector<BlockId> blocks;
    for (const int source : sources) blocks.push_back(where_it_is_.at(source));
    builder_.send(target, tag, blocks);
  }

  void receive(int from, std::uint32_t tag, const Sources& sources) {
    if (sources.empty()) return;
    std::vector<ArrivingBlock> message;
    for (const int source : sources) message.push_back({ends_[source], bytes_of(problem_, source)});
    landings_.place(message);
    std::vector<BlockId> blocks;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      where_it_is_[sources[i]] = message[i].at;
      blocks.push_back(message[i].at);
    }
    builder_.receive(from, tag, blocks);
    landings_.copy_to_ends(message);
  }

  const Problem& problem_;
  decltype(traffic_of(std::declval<const Problem&>())) traffic_;
  int rank_;
  int node_;
  ScheduleBuilder& builder_;
  BlockId own_;
  Landings landings_;
  Leaving leaving_;
  Arriving arriving_;
  std::map<int, std::vector<int>> ends_;  ///< by source: the neighbors whose block it is; none where it passes through
  std::map<int, BlockId> where_it_is_;    ///< by source
};

void build_node_aware(const Problem& problem, int sharers, ScheduleBuilder& builder) {
  NodeAwareAllgather(problem, sharers, builder).build();
}

bool is_for_nodes(const Problem& problem) {
  return problem.nodes != nullptr && problem.uniform &&
         fits_carriers(*problem.nodes, largest_block(problem) * problem.facts.neighborhood().size());
}

}  // namespace

std::vector<Plan> node_aware(const Problem& problem) {
  if (!is_for_nodes(problem)) return {};
  const NodeMembers& nodes = *problem.nodes;
  return carried_plans(
      nodes, predict_carried(traffic_of(problem), numbers_of_sharers(nodes), BlockUse::one_for_all, problem.costs),
      build_node_aware);
}

}  // namespace rondo::internal::allgather
