// Node-aware allgather on a grid of processes, beyond the papers: a block goes once to each node where it has a
// neighbor, and once to each rank there, as a block that is for several ranks need not cross the network for each.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"
#include "collectives/carriers/cart_traffic.hpp"
#include "collectives/carriers/shared_blocks.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_allgather/landings.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
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

class NodeAwareAllgather {
 public:
  NodeAwareAllgather(const Problem& problem, int sharers, ScheduleBuilder& builder)
      : problem_(problem),
        traffic_(traffic_of(problem)),
        rank_(problem.grid.rank()),
        builder_(builder),
        own_(builder.block(Space::send, problem.send.offset, *problem.send.layout)),
        landings_(problem, builder),
        legs_(traffic_, rank_, sharers) {
    traffic_.visit_received(rank_, [&](int source, std::uint32_t number, std::int64_t) {
      ends_[source].push_back(static_cast<int>(number));
    });
  }

  void build() {
    where_it_is_[rank_] = block_to_send(problem_, own_, messages_with_own_block(), builder_);
    exchange(legs_.on_the_node, kOnTheNode);
    builder_.begin_phase();
    exchange(legs_.between_nodes, kBetweenNodes);
    builder_.begin_phase();
    exchange(legs_.hand_out, kHandOut);
    copy_to_self(problem_, own_, ends_[rank_], builder_);
    builder_.reserve_tags(kTags);
  }

 private:
  [[nodiscard]] std::size_t messages_with_own_block() const {
    const auto has_it = [&](const SharedBlockLegs::Message& message) {
      return std::ranges::count(message.blocks, rank_, &SharedBlock::source) > 0;
    };
    return legs_.on_the_node.sent.size() +
           static_cast<std::size_t>(std::ranges::count_if(legs_.between_nodes.sent, has_it));
  }

  void exchange(const SharedBlockLegs::Leg& leg, std::uint32_t tag) {
    for (const auto& [target, blocks] : leg.sent) {
      std::vector<BlockId> message;
      for (const SharedBlock& block : blocks) message.push_back(where_it_is_.at(block.source));
      builder_.send(target, tag, message);
    }
    for (const auto& [source, blocks] : leg.received) receive(source, tag, blocks);
  }

  void receive(int from, std::uint32_t tag, std::span<const SharedBlock> blocks) {
    std::vector<ArrivingBlock> message;
    for (const SharedBlock& block : blocks) message.push_back({ends_[block.source], bytes_of(problem_, block.source)});
    landings_.place(message);
    std::vector<BlockId> landed;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      where_it_is_[blocks[i].source] = message[i].at;
      landed.push_back(message[i].at);
    }
    builder_.receive(from, tag, landed);
    landings_.copy_to_ends(message);
  }

  const Problem& problem_;
  decltype(traffic_of(std::declval<const Problem&>())) traffic_;
  int rank_;
  ScheduleBuilder& builder_;
  BlockId own_;
  Landings landings_;
  SharedBlockLegs legs_;
  std::map<int, std::vector<int>> ends_;  ///< by source: neighbors whose block this is; empty if it passes through
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
