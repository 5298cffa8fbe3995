// Node-aware allgather with few messages between nodes: all blocks of a node go to each other node as one message.
// First the ranks of a node have an allgather of their own, after which any of them can send the message: each serves
// some of the other nodes. The rank that receives a message hands it to the other ranks of its node.
#include "collectives/blocks/round_messages.hpp"
#include "collectives/dense_allgather/algorithms.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rondo::internal::dense_allgather {
namespace {

class NodeAware {
 public:
  NodeAware(const Problem& problem, ScheduleBuilder& builder)
      : problem_(problem),
        nodes_(*problem.nodes),
        builder_(builder),
        blocks_(problem, builder),
        node_(nodes_.node_of(problem.rank)),
        place_(static_cast<int>(nodes_.place_of(problem.rank))) {
    const std::int64_t largest = problem.largest();
    for (int node = 0; node < nodes_.nodes(); ++node) {
      tags_.push_back(end_tag_);
      end_tag_ += messages_of(nodes_.size_of(node), largest);  // the same on all ranks: as many as there may be
    }
  }

  void build() {
    builder_.begin_phase();
    gather_on_node();
    copy_to_self(problem_, blocks_, builder_);
    builder_.begin_phase();
    for (int distance = 1; distance < nodes_.nodes(); ++distance) {
      if (is_carrier(distance)) exchange(distance);
    }
    builder_.begin_phase();
    for (const Carried& node : carried_) hand_out(node);
    for (int distance = 1; distance < nodes_.nodes(); ++distance) {
      const int source = nodes_.node_after(node_, -distance);
      if (!is_carrier(distance)) receive(nodes_.rank_for(node_, distance), source, blocks_of(source));
    }
    builder_.reserve_tags(end_tag_);
  }

 private:
  /// The blocks of another node, as they have arrived at this rank, and their places.
  struct Carried {
    int node;
    std::vector<BlockId> arrived;
    std::vector<BlockId> user;  ///< empty if these are the same
  };

  [[nodiscard]] bool is_carrier(int distance) const { return nodes_.rank_for(node_, distance) == problem_.rank; }
  [[nodiscard]] BlockId block_of(int rank) const {
    // A message of several blocks takes the rank's own block from among the received ones, beside the others.
    return rank == problem_.rank && nodes_.size_of(node_) == 1 ? blocks_.own
                                                               : blocks_.recv[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::vector<BlockId> blocks_of(int node) const {
    std::vector<BlockId> blocks;
    for (const int member : nodes_.members(node)) {
      if (problem_.bytes_of(member) > 0) blocks.push_back(block_of(member));
    }
    return blocks;
  }

  [[nodiscard]] RoundSide<> messages(std::span<const BlockId> blocks) const {
    RoundSide<> side;
    for (const BlockId block : blocks) side.add(block, builder_.bytes(block));
    return side;
  }
  /// Sends the blocks of one node, which pass between two ranks once each way.
  void send(int target, int node, std::span<const BlockId> blocks) {
    const RoundSide<> side = messages(blocks);
    for (std::uint32_t number = 0; number < side.messages(); ++number)
      builder_.send(target, tag_of(node) + number, side.message(number));
  }
  void receive(int source, int node, std::span<const BlockId> blocks) {
    const RoundSide<> side = messages(blocks);
    for (std::uint32_t number = 0; number < side.messages(); ++number)
      builder_.receive(source, tag_of(node) + number, side.message(number));
  }
  [[nodiscard]] std::uint32_t tag_of(int node) const { return tags_[static_cast<std::size_t>(node)]; }

  /// Calls visit(rank) for the other ranks of the node, from the next one on.
  template <typename Visit>
  void for_each_other(Visit visit) const {
    const std::span<const int> members = nodes_.members(node_);
    for (int step = 1; step < nodes_.size_of(node_); ++step)
      visit(members[static_cast<std::size_t>((place_ + step) % nodes_.size_of(node_))]);
  }

  void gather_on_node() {
    BlockId own = blocks_.own;
    const bool has_own = builder_.bytes(own) > 0;
    if (has_own && nodes_.size_of(node_) > 2 && builder_.is_staged({&own, 1})) {  // packed once for all
      own = builder_.transit(builder_.bytes(own));
      builder_.copy({&blocks_.own, 1}, {&own, 1});
    }
    for_each_other([&](int other) {
      builder_.begin_exchange();
      if (has_own) builder_.send(other, tag_of(node_), {&own, 1});
      if (problem_.bytes_of(other) > 0) {
        const BlockId coming = block_of(other);
        builder_.receive(other, tag_of(node_), {&coming, 1});
      }
    });
  }

  /// Sends to the node that is `distance` after this one, and receives from the node that is `distance` before it.
  /// Blocks that are scattered on this rank stay as they arrive until they have been handed out.
  void exchange(int distance) {
    const int source = nodes_.node_after(node_, -distance);
    Carried& coming = carried_.emplace_back(Carried{source, blocks_of(source), {}});
    if (nodes_.size_of(node_) > 1 && !coming.arrived.empty() && builder_.is_staged(coming.arrived)) {
      coming.user = coming.arrived;
      for (BlockId& block : coming.arrived) block = builder_.transit(builder_.bytes(block));
    }
    builder_.begin_exchange();
    send(nodes_.rank_for(nodes_.node_after(node_, distance), distance), node_, blocks_of(node_));
    receive(nodes_.rank_for(source, distance), source, coming.arrived);
    builder_.end_exchange();
  }

  void hand_out(const Carried& carried) {
    for_each_other([&](int other) { send(other, carried.node, carried.arrived); });
    if (!carried.user.empty()) builder_.copy(carried.arrived, carried.user);
  }

  const Problem& problem_;
  const NodeMembers& nodes_;
  ScheduleBuilder& builder_;
  Blocks blocks_;
  int node_;
  int place_;
  std::vector<Carried> carried_;
  std::vector<std::uint32_t> tags_;  ///< the first tag for the blocks of each node
  std::uint32_t end_tag_ = 0;
};

/// Predicts the node-aware allgather on a node of `ranks` ranks. `most_bytes`: bytes of the blocks of any node, at
/// most.
Prediction predict_on(const Problem& problem, int ranks, std::int64_t most_bytes) {
  const CostModel& costs = problem.costs;
  const NodeMembers& nodes = *problem.nodes;
  const std::int64_t others = ranks - 1;
  const std::int64_t carried = (nodes.nodes() - 2) / ranks + 1;
  const std::int64_t split = messages_of(nodes.most(), problem.largest());
  Prediction prediction;
  const auto add_messages = [&](std::int64_t messages, std::int64_t blocks, std::int64_t bytes, Nearness nearness) {
    if (messages > 0) costs.add_phase(prediction, nearness);
    for (std::int64_t i = 0; i < messages; ++i) costs.add_message(prediction, blocks, bytes, SentData::warm, nearness);
  };
  add_messages(others, 1, problem.largest(), Nearness::near);
  add_messages(carried * split, nodes.most() / split, most_bytes / split, Nearness::far);
  add_messages(carried * split * others, nodes.most() / split, most_bytes / split, Nearness::near);
  return prediction;
}

}  // namespace

void build_node_aware(const Problem& problem, ScheduleBuilder& builder) { NodeAware(problem, builder).build(); }

Prediction predict_node_aware(const Problem& problem) {
  const NodeMembers& nodes = *problem.nodes;
  if (problem.largest() == 0) return {};
  int fewest = problem.size;
  std::int64_t most_bytes = 0;
  for (int node = 0; node < nodes.nodes(); ++node) {
    const std::span<const int> members = nodes.members(node);
    fewest = std::min(fewest, static_cast<int>(std::ssize(members)));
    std::int64_t bytes = 0;
    for (const int member : members) bytes += problem.bytes_of(member);
    most_bytes = std::max(most_bytes, bytes);
  }
  // The largest node has most to hand out, and the ranks of the smallest one most to send.
  const Prediction largest = predict_on(problem, nodes.most(), most_bytes);
  const Prediction smallest = predict_on(problem, fewest, most_bytes);
  return largest.nanoseconds < smallest.nanoseconds ? smallest : largest;
}

}  // namespace rondo::internal::dense_allgather
