// Message-combining allgather: ICPP 2019, section 3.2, a breadth-first traversal of the tree of algorithm 2, and
// section 3.3 for blocks of different sizes. Over the tree of the direct expansion, in which no block passes through
// anybody, it is the allgather that sends one message to each distinct process.
#include "collectives/allgather/algorithms.hpp"

#include <rondo/error.hpp>

#include <algorithm>

namespace rondo::internal::allgather {
namespace {

using Node = Tree::Node;
constexpr Node kRoot = Tree::kRoot;

class CombiningAllgather {
 public:
  CombiningAllgather(const Problem& problem, const Tree& tree, ScheduleBuilder& builder)
      : problem_(problem),
        tree_(tree),
        builder_(builder),
        own_(builder.block(Space::send, problem.send.offset, *problem.send.layout)),
        where_it_is_(tree.nodes(), own_),
        bytes_(tree.nodes()) {
    recv_.reserve(problem.recv.size());
    for (const BlockShape& block : problem.recv)
      recv_.push_back(builder.block(Space::recv, block.offset, *block.layout));
  }

  void build() {
    bytes_[kRoot] = builder_.bytes(own_);
    where_it_is_[kRoot] = block_to_send(problem_, own_, sends_of_own_block(), builder_);
    const auto rounds = tree_.rounds();
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      if (round == 0 || rounds[round].stage != rounds[round - 1].stage) builder_.begin_phase();
      exchange(round);
    }
    copy_to_self(problem_, own_, tree_.ends(kRoot), builder_);
    builder_.reserve_tags(static_cast<std::uint32_t>(rounds.size()) * most_parts());
  }

 private:
  /// Blocks that travel together: their nodes at the receiver, and their bytes.
  struct Blocks {
    std::vector<Node> nodes;
    std::vector<std::int64_t> bytes;

    void add(Node node, std::int64_t size) {
      if (size == 0) return;
      nodes.push_back(node);
      bytes.push_back(size);
    }
    void clear() {
      nodes.clear();
      bytes.clear();
    }
    /// The nodes of the next message: as many as MPI can count, from `begin` on, which is moved on.
    std::span<const Node> next(std::size_t& begin) const {
      const std::size_t first = begin;
      std::int64_t total = 0;
      while (begin < nodes.size() && (begin == first || total + bytes[begin] <= kLongestMessage))
        total += bytes[begin++];
      return std::span(nodes).subspan(first, begin - first);
    }
  };

  [[nodiscard]] std::size_t sends_of_own_block() const {
    std::size_t sends = 0;
    for (Node node = 1; node < tree_.nodes(); ++node) {
      if (tree_.parent(node) == kRoot && tree_.passes(problem_.grid, node, kRoot)) ++sends;
    }
    return sends;
  }

  /// Most messages that a round is split into: every two that follow each other are longer than the longest. The same
  /// on all ranks; where sizes are unknown, a round is one block.
  [[nodiscard]] std::uint32_t most_parts() const {
    if (!problem_.uniform) return 1;
    Node most_blocks = 0;
    for (const auto& round : tree_.rounds()) most_blocks = std::max(most_blocks, round.end - round.begin);
    const std::int64_t total = std::int64_t{most_blocks} * largest_block(problem_);
    return total <= kLongestMessage ? 1 : static_cast<std::uint32_t>(2 * (total / kLongestMessage) + 1);
  }

  /// Bytes of the block that comes to the caller at `node`.
  [[nodiscard]] std::int64_t bytes_at(Node node) const {
    if (problem_.sizes.size() == 1) return problem_.sizes.front();
    if (problem_.uniform) {
      return problem_.sizes[static_cast<std::size_t>(problem_.grid.relative_rank(tree_.displacement(node), -1))];
    }
    if (tree_.ends(node).empty())
      throw Error(MPI_ERR_INTERN, "allgather over " + tree_.name() + ": a block of unknown size passes through");
    return problem_.recv[static_cast<std::size_t>(tree_.ends(node).front())].layout->size();
  }

  void exchange(std::size_t round) {
    const Grid& grid = problem_.grid;
    const int target = grid.relative_rank(tree_.step(round));
    const int source = grid.relative_rank(tree_.step(round), -1);
    going_.clear();
    coming_.clear();
    for (Node node = tree_.rounds()[round].begin; node < tree_.rounds()[round].end; ++node) {
      const Node parent = tree_.parent(node);
      if (bytes_[parent] > 0 && tree_.passes(grid, node, parent)) going_.add(node, bytes_[parent]);
      if (!tree_.passes(grid, node, node)) continue;
      bytes_[node] = bytes_at(node);
      coming_.add(node, bytes_[node]);
    }
    const auto rounds = static_cast<std::uint32_t>(tree_.rounds().size());
    auto tag = static_cast<std::uint32_t>(round);
    for (std::size_t sent = 0, received = 0; sent < going_.nodes.size() || received < coming_.nodes.size();
         tag += rounds) {
      const auto outgoing = going_.next(sent);
      const auto incoming = coming_.next(received);
      leave(outgoing);
      const bool staged = arrive(incoming);
      if (outgoing.empty())
        builder_.receive(source, tag, incoming_);
      else if (incoming.empty())
        builder_.send(target, tag, outgoing_);
      else
        builder_.exchange(target, source, tag, outgoing_, incoming_);
      copy_to_ends(incoming, staged);
    }
  }

  void leave(std::span<const Node> nodes) {
    outgoing_.clear();
    for (const Node node : nodes) outgoing_.push_back(where_it_is_[tree_.parent(node)]);
  }

  /// Decides where blocks arrive: at one of their ends, if any, but if the message is copied anyway, all in scratch
  /// memory, from which they can be passed on without waiting for the copies to their ends. Whether it is.
  bool arrive(std::span<const Node> nodes) {
    incoming_.clear();
    if (nodes.empty()) return false;
    for (const Node node : nodes) incoming_.push_back(block_at(node));
    const bool staged = builder_.is_staged(incoming_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (staged && !tree_.ends(nodes[i]).empty()) incoming_[i] = builder_.transit(bytes_[nodes[i]]);
      where_it_is_[nodes[i]] = incoming_[i];
    }
    return staged;
  }

  BlockId block_at(Node node) {
    return tree_.ends(node).empty() ? builder_.transit(bytes_[node]) : recv_[first_end(node)];
  }

  /// The end of a node at which a block arrives: one whose layout is in one piece, if possible.
  [[nodiscard]] std::size_t first_end(Node node) const {
    const auto ends = tree_.ends(node);
    const auto in_a_row = std::ranges::find_if(
        ends, [&](int end) { return problem_.recv[static_cast<std::size_t>(end)].layout->is_contiguous(); });
    return static_cast<std::size_t>(in_a_row == ends.end() ? ends.front() : *in_a_row);
  }

  void copy_to_ends(std::span<const Node> nodes, bool staged) {
    from_.clear();
    to_.clear();
    for (const Node node : nodes) {
      const auto ends = tree_.ends(node);
      const int arrived_at = staged || ends.empty() ? -1 : static_cast<int>(first_end(node));
      for (const int end : ends) {
        if (end == arrived_at) continue;
        from_.push_back(where_it_is_[node]);
        to_.push_back(recv_[static_cast<std::size_t>(end)]);
      }
    }
    if (!from_.empty()) builder_.copy(from_, to_);
  }

  const Problem& problem_;
  const Tree& tree_;
  ScheduleBuilder& builder_;
  BlockId own_;
  std::vector<BlockId> recv_;
  std::vector<BlockId> where_it_is_;  ///< by node
  std::vector<std::int64_t> bytes_;   ///< by node; 0 where nothing passes
  // Of the round at hand.
  Blocks going_;
  Blocks coming_;
  std::vector<BlockId> outgoing_;
  std::vector<BlockId> incoming_;
  std::vector<BlockId> from_;
  std::vector<BlockId> to_;
};

}  // namespace

void build_combining(const Problem& problem, const Tree& tree, ScheduleBuilder& builder) {
  CombiningAllgather(problem, tree, builder).build();
}

Prediction predict_combining(const Problem& problem, const Tree& tree) {
  const CostModel& costs = problem.costs;
  const std::int64_t bytes = largest_block(problem);
  Prediction prediction;
  if (bytes == 0) return prediction;
  const auto most_together = static_cast<Node>(std::clamp<std::int64_t>(kLongestMessage / bytes, 1, tree.nodes()));
  std::int64_t copied = std::ssize(tree.ends(kRoot));
  const auto rounds = tree.rounds();
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    if (round == 0 || rounds[round].stage != rounds[round - 1].stage) costs.add_phase(prediction);
    for (Node begin = rounds[round].begin; begin < rounds[round].end;) {
      const Node blocks = std::min(most_together, rounds[round].end - begin);
      costs.add_message(prediction, blocks, blocks * bytes, SentData::warm);
      if (blocks > 1) copied += blocks;  // into the message
      for (const Node end = begin + blocks; begin < end; ++begin) {
        // Out of it, to all ends; a block that comes alone comes to one of its ends.
        const std::int64_t ends = std::ssize(tree.ends(begin));
        copied += blocks > 1 || ends == 0 ? ends : ends - 1;
      }
    }
  }
  costs.add_copies(prediction, copied, copied * bytes);
  return prediction;
}

}  // namespace rondo::internal::allgather
