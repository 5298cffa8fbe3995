#include "collectives/cart_reduction/hop.hpp"

#include "collectives/topology/displacement_keys.hpp"
#include "collectives/topology/flat_index.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rondo::internal::reduction {

/// The expansion of values, boundary by boundary, down to the leaves. A node is a value and a displacement: how far
/// away the process is at which the tree has the value.
class Hop::Expansion {
 public:
  using DisplacementId = std::uint32_t;
  struct Node {
    DisplacementId displacement;
    ValueId value;
  };
  struct Level {
    std::vector<Node> nodes;
    std::vector<std::size_t> first_operand{0};
    std::vector<Operand> operands;  ///< nodes of the level below
  };

  Expansion(const Tree& tree, const Grid& grid)
      : tree_(tree), grid_(grid), keys_of_(grid), moved_(grid.sizes().size()) {
    static_cast<void>(displacement_id());  // the zero displacement is number 0
  }

  /// Adds the operands of `level`'s nodes, which are values of boundary `stage` + 1. Returns the operands' level.
  [[nodiscard]] Level expand(Level& level, std::size_t stage) {
    const auto pair = [](std::uint32_t one, std::uint32_t other) { return std::int64_t{one} << 32U | other; };
    Level below;
    FlatIndex known(level.nodes.size());
    FlatIndex moves;
    std::vector<DisplacementId> moved_to;
    for (const Node& node : level.nodes) {
      for (const Term& term : tree_.terms(stage + 1, node.value)) {
        DisplacementId there = node.displacement;
        if (term.step != kStays) {
          const auto next_move = static_cast<std::uint32_t>(moved_to.size());
          const std::uint32_t move = moves.find_or_add(pair(there, term.step), next_move);
          if (move == next_move) moved_to.push_back(further(there, stage, term.step));
          there = moved_to[move];
        }
        const auto next_node = static_cast<NodeId>(below.nodes.size());
        const NodeId operand = known.find_or_add(pair(there, term.value), next_node);
        if (operand == next_node) below.nodes.push_back({there, term.value});
        level.operands.push_back({operand, term.times, term.step});
      }
      level.first_operand.push_back(level.operands.size());
    }
    return below;
  }
  /// Returns all displacements, the zero one first, in an order that does not depend on how they were found.
  [[nodiscard]] std::vector<DisplacementId> in_order() const {
    std::vector<DisplacementId> order(keys_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [this](DisplacementId id) { return keys_[id]; });
    return order;
  }
  [[nodiscard]] std::span<const int> displacement(DisplacementId id) const {
    return std::span(displacements_).subspan(id * moved_.size(), moved_.size());
  }

 private:
  DisplacementId further(DisplacementId from, std::size_t stage, StepId step) {
    const auto start = displacement(from);
    const auto taken = tree_.expansion().step(tree_.expansion().stages()[stage], step);
    for (std::size_t k = 0; k < moved_.size(); ++k) {
      const std::int64_t sum = std::int64_t{start[k]} + taken[k];
      const bool folds = grid_.periodic(static_cast<int>(k)) && sum >= grid_.sizes()[k];
      moved_[k] = static_cast<int>(folds ? sum - grid_.sizes()[k] : sum);
    }
    return displacement_id();
  }
  /// Returns the number of the displacement in moved_. Gives it a new number if it has none.
  DisplacementId displacement_id() {
    const std::int64_t key = keys_of_.key(moved_);
    const DisplacementId id = ids_.find_or_add(key, static_cast<DisplacementId>(keys_.size()));
    if (id == keys_.size()) {
      keys_.push_back(key);
      displacements_.insert(displacements_.end(), moved_.begin(), moved_.end());
    }
    return id;
  }

  const Tree& tree_;
  const Grid& grid_;
  DisplacementKeys keys_of_;
  std::vector<int> moved_;
  std::vector<int> displacements_;
  std::vector<std::int64_t> keys_;
  FlatIndex ids_;
};

Hop::Hop(const Tree& tree, const Grid& grid, std::size_t from, std::size_t to)
    : dimensions_(grid.sizes().size()), from_(from), to_(to), results_(tree.values(to)) {
  Expansion expansion(tree, grid);
  std::vector<Expansion::Level> levels(to - from + 1);
  for (ValueId value = 0; value < results_; ++value) levels.back().nodes.push_back({0, value});
  for (std::size_t level = levels.size() - 1; level > 0; --level)
    levels[level - 1] = expansion.expand(levels[level], from + level - 1);

  // Leaves are sorted by displacement: the leaves of one message are adjacent.
  const auto& leaves = levels.front().nodes;
  const std::vector<Expansion::DisplacementId> order = expansion.in_order();
  std::vector<NodeId> first(order.size() + 1);
  std::vector<std::uint32_t> rank_of(order.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) rank_of[order[rank]] = rank;
  for (const auto& leaf : leaves) ++first[rank_of[leaf.displacement] + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  own_ = first[1];
  first_of_round_.front() = own_;
  for (std::uint32_t rank = 1; rank < order.size(); ++rank) {
    if (first[rank] == first[rank + 1]) continue;
    const auto step = expansion.displacement(order[rank]);
    steps_.insert(steps_.end(), step.begin(), step.end());
    first_of_round_.push_back(first[rank + 1]);
  }
  std::vector<NodeId> place(leaves.size());
  value_of_.resize(leaves.size());
  for (NodeId leaf = 0; leaf < leaves.size(); ++leaf) {
    place[leaf] = first[rank_of[leaves[leaf].displacement]]++;
    value_of_[place[leaf]] = leaves[leaf].value;
  }

  NodeId first_below = 0;
  for (std::size_t level = 1; level < levels.size(); ++level) {
    const auto& [nodes, first_operand, operands] = levels[level];
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      --reductions_;
      for (std::size_t i = first_operand[node]; i < first_operand[node + 1]; ++i) {
        const NodeId below = operands[i].node;
        operands_.push_back({level == 1 ? place[below] : first_below + below, operands[i].times, operands[i].step});
        reductions_ += operands[i].times;
      }
      first_operand_.push_back(operands_.size());
    }
    first_below += static_cast<NodeId>(levels[level - 1].nodes.size());
    first_of_level_.push_back(first_below);
  }
  first_of_level_.push_back(nodes());
  if (!grid.is_torus()) note_parts();
}

void Hop::note_parts() {
  std::vector<std::vector<ValueId>> parts(nodes());
  for (ValueId value = 0; value < results_; ++value) parts[result(value)] = {value};
  for (NodeId node = nodes(); node-- > leaves();) {
    std::vector<ValueId>& of_node = parts[node];
    std::ranges::sort(of_node);
    of_node.erase(std::unique(of_node.begin(), of_node.end()), of_node.end());
    for (const Operand& operand : operands(node))
      parts[operand.node].insert(parts[operand.node].end(), of_node.begin(), of_node.end());
  }
  first_part_of_.push_back(0);
  for (NodeId leaf = 0; leaf < leaves(); ++leaf) {
    std::vector<ValueId>& of_leaf = parts[leaf];
    std::ranges::sort(of_leaf);
    part_of_.insert(part_of_.end(), of_leaf.begin(), std::unique(of_leaf.begin(), of_leaf.end()));
    first_part_of_.push_back(part_of_.size());
  }
}

}  // namespace rondo::internal::reduction
