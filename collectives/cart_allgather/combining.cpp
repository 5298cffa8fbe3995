// Message-combining allgather: ICPP 2019, section 3.2, a breadth-first traversal of the tree of algorithm 2, and
// section 3.3 for blocks of different sizes. Along the tree of the direct expansion, in which no block passes through
// another process, it sends one message to each distinct process.
#include "collectives/cart_allgather/algorithms.hpp"

#include <rondo/error.hpp>

#include "collectives/blocks/round_messages.hpp"
#include "collectives/cart_allgather/landings.hpp"

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
        largest_(problem.uniform ? largest_block(problem) : 0),
        landings_(problem, builder),
        where_it_is_(tree.nodes(), own_),
        bytes_(tree.nodes()) {}

  void build() {
    bytes_[kRoot] = builder_.bytes(own_);
    where_it_is_[kRoot] = block_to_send(problem_, own_, sends_of_own_block(), builder_);
    const auto rounds = tree_.rounds();
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      if (round == 0 || rounds[round].stage != rounds[round - 1].stage) builder_.begin_phase();
      exchange(round);
    }
    copy_to_self(problem_, own_, tree_.ends(kRoot), builder_);
    builder_.reserve_tags(tag_);
  }

 private:
  [[nodiscard]] std::size_t sends_of_own_block() const {
    std::size_t sends = 0;
    for (Node node = 1; node < tree_.nodes(); ++node) {
      if (tree_.parent(node) == kRoot && tree_.passes(problem_.grid, node, kRoot)) ++sends;
    }
    return sends;
  }

  /// Returns the size in bytes of the block that this process receives at `node`.
  [[nodiscard]] std::int64_t bytes_at(Node node) const {
    if (problem_.sizes.size() == 1) return problem_.sizes.front();
    if (problem_.uniform) return bytes_of(problem_, problem_.grid.relative_rank(tree_.displacement(node), -1));
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
    const auto [stage, begin, end] = tree_.rounds()[round];
    for (Node node = begin; node < end; ++node) {
      const Node parent = tree_.parent(node);
      if (bytes_[parent] > 0 && tree_.passes(grid, node, parent)) going_.add(node, bytes_[parent]);
      if (!tree_.passes(grid, node, node)) continue;
      bytes_[node] = bytes_at(node);
      coming_.add(node, bytes_[node]);
    }
    for (std::uint32_t number = 0; number < std::max(going_.messages(), coming_.messages()); ++number) {
      leave(going_.message(number));
      arrive(coming_.message(number));
      exchange_messages(target, source, tag_ + number, outgoing_, incoming_, builder_);
      landings_.copy_to_ends(arrivals_);
    }
    tag_ += messages_of(end - begin, largest_);  // the same on all ranks
  }

  void leave(std::span<const Node> nodes) {
    outgoing_.clear();
    for (const Node node : nodes) outgoing_.push_back(where_it_is_[tree_.parent(node)]);
  }

  void arrive(std::span<const Node> nodes) {
    arrivals_.clear();
    incoming_.clear();
    for (const Node node : nodes) arrivals_.push_back({tree_.ends(node), bytes_[node]});
    landings_.place(arrivals_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      where_it_is_[nodes[i]] = arrivals_[i].at;
      incoming_.push_back(arrivals_[i].at);
    }
  }

  const Problem& problem_;
  const Tree& tree_;
  ScheduleBuilder& builder_;
  BlockId own_;
  std::int64_t largest_;  ///< bytes, over all ranks; 0 if sizes are unknown and each round is one block
  Landings landings_;
  std::vector<BlockId> where_it_is_;  ///< by node
  std::vector<std::int64_t> bytes_;   ///< by node; 0 if no block passes
  std::uint32_t tag_ = 0;
  // State of the current round.
  RoundSide<Node> going_;   ///< nodes at the receiver of this process
  RoundSide<Node> coming_;  ///< nodes at this process
  std::vector<BlockId> outgoing_;
  std::vector<ArrivingBlock> arrivals_;
  std::vector<BlockId> incoming_;
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
  std::int64_t copied = std::ssize(tree.ends(kRoot));
  const auto rounds = tree.rounds();
  Nearness slowest = Nearness::near;  // the slowest message of a phase
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const Node first = rounds[round].begin;
    if (nearness_of(problem.near, tree.step(round)) == Nearness::far) slowest = Nearness::far;
    if (round + 1 == rounds.size() || rounds[round + 1].stage != rounds[round].stage) {
      costs.add_phase(prediction, slowest);
      slowest = Nearness::near;
    }
    for_each_message(rounds[round].end - first, bytes, [&](std::int64_t begin, std::int64_t blocks) {
      add_message(prediction, costs, problem.near, tree.step(round), blocks, blocks * bytes, SentData::warm);
      if (blocks > 1) copied += blocks;  // copies into the message
      for (std::int64_t i = begin; i < begin + blocks; ++i) {
        // Copies out of the message to all ends. A block that arrives alone arrives at one of its ends.
        const std::int64_t ends = std::ssize(tree.ends(first + static_cast<Node>(i)));
        copied += blocks > 1 || ends == 0 ? ends : ends - 1;
      }
    });
  }
  costs.add_copies(prediction, copied, copied * bytes);
  return prediction;
}

}  // namespace rondo::internal::allgather
