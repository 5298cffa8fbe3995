#include "collectives/cart_allgather/tree.hpp"

#include "collectives/topology/displacement_keys.hpp"
#include "collectives/topology/flat_index.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::internal::allgather {

/// The builder of a tree: stage by stage, breadth first (section 3.2), with all distinct neighbors walking along their
/// paths at the same time.
class Tree::Growth {
 public:
  Growth(Tree& tree, const Grid& grid, const FoldedNeighborhood& neighborhood)
      : tree_(tree),
        grid_(grid),
        keys_(grid),
        index_(neighborhood.size() + 1),
        at_(neighborhood.size(), kNowhere),
        moved_(tree.dimensions_) {
    const std::size_t expected = at_.size() + 1;  // more if few paths meet
    tree.parents_.reserve(expected);
    tree.first_child_.reserve(expected);
    tree.next_sibling_.reserve(expected);
    tree.displacements_.reserve(expected * tree.dimensions_);
    index_.find_or_add(keys_.key(moved_), kRoot);
    add(kNowhere, moved_);
    for (std::uint32_t v = 0; v < at_.size(); ++v) {
      if (!grid.reaches(neighborhood[v])) continue;
      walkers_.push_back(v);
      at_[v] = kRoot;
    }
  }

  /// Grows the tree by one stage (lines 5 to 14): one child for each distinct step of the walkers at a node.
  void grow(const PathExpansion& expansion, const ExpansionStage& stage, std::uint32_t number) {
    // BUCKETSORT by step. The sort is stable and walkers are in order of their nodes, so walkers that take the same
    // step from the same node are adjacent.
    std::vector<std::uint32_t> first(std::size_t{expansion.steps(stage)} + 1);
    for (const std::uint32_t v : walkers_) {
      const StepId step = stage.step_of[v];
      if (step != kStays) ++first[step + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> movers(first.back());
    std::vector<std::uint32_t> next_walkers;
    next_walkers.reserve(walkers_.size());
    std::vector<std::uint32_t> place(first.begin(), first.end() - 1);
    for (const std::uint32_t v : walkers_) {
      const StepId step = stage.step_of[v];
      if (step == kStays)
        next_walkers.push_back(v);
      else
        movers[place[step]++] = v;
    }
    for (StepId step = 0; step < expansion.steps(stage); ++step) {
      const Node begin = tree_.nodes();
      Node from = kNowhere;
      Node to = kNowhere;
      for (std::uint32_t mover = first[step]; mover < first[step + 1]; ++mover) {
        Node& at = at_[movers[mover]];
        if (at != from) {
          from = at;
          to = child(from, expansion.step(stage, step));
        }
        at = to;
      }
      if (tree_.nodes() == begin) continue;
      tree_.rounds_.push_back({number, begin, tree_.nodes()});
      const auto taken = expansion.step(stage, step);
      tree_.steps_.insert(tree_.steps_.end(), taken.begin(), taken.end());
    }
    next_walkers.insert(next_walkers.end(), movers.begin(), movers.end());
    walkers_.swap(next_walkers);
  }

  void set_ends(std::span<const std::uint32_t> vector_of) {
    std::vector<std::uint32_t>& first = tree_.first_end_;
    first.assign(std::size_t{tree_.nodes()} + 1, 0);
    for (const std::uint32_t v : vector_of) {
      if (at_[v] != kNowhere) ++first[at_[v] + 1];
    }
    for (Node node = 1; node < tree_.nodes(); ++node) tree_.distinct_ends_ += first[node + 1] > 0 ? 1 : 0;
    std::partial_sum(first.begin(), first.end(), first.begin());
    tree_.ends_.resize(first.back());
    std::vector<std::uint32_t> place(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < vector_of.size(); ++i) {
      const Node end = at_[vector_of[i]];
      if (end != kNowhere) tree_.ends_[place[end]++] = static_cast<int>(i);
    }
  }

 private:
  /// Returns the node one step from `from`. Adds the node unless a path has visited it before.
  Node child(Node from, std::span<const int> step) {
    const auto start = tree_.displacement(from);
    for (std::size_t k = 0; k < step.size(); ++k) {
      const int size = grid_.sizes()[k];
      const int coordinate = start[k] + step[k];
      moved_[k] = grid_.periodic(static_cast<int>(k)) && coordinate >= size ? coordinate - size : coordinate;
    }
    const Node known = index_.find_or_add(keys_.key(moved_), tree_.nodes());
    if (known == tree_.nodes()) add(from, moved_);
    return known;
  }

  void add(Node parent, std::span<const int> displacement) {
    const Node node = tree_.nodes();
    tree_.parents_.push_back(parent);
    tree_.first_child_.push_back(kNowhere);
    tree_.next_sibling_.push_back(kNowhere);
    tree_.displacements_.insert(tree_.displacements_.end(), displacement.begin(), displacement.end());
    if (parent == kNowhere) return;
    tree_.next_sibling_[node] = tree_.first_child_[parent];
    tree_.first_child_[parent] = node;
  }

  Tree& tree_;
  const Grid& grid_;
  DisplacementKeys keys_;
  FlatIndex index_;                     ///< nodes by displacement
  std::vector<Node> at_;                ///< the node that each neighbor's path has reached
  std::vector<std::uint32_t> walkers_;  ///< neighbors that exist, in order of their nodes
  std::vector<int> moved_;
};

Tree::Tree(const Grid& grid, const FoldedNeighborhood& neighborhood, const PathExpansion& expansion)
    : name_(expansion.name()), dimensions_(static_cast<std::size_t>(grid.dimensions())) {
  Growth growth(*this, grid, neighborhood);
  std::uint32_t number = 0;
  for (const ExpansionStage& stage : expansion.stages()) growth.grow(expansion, stage, number++);
  growth.set_ends(neighborhood.vector_of());
}

bool Tree::exists(const Grid& grid, Node node, Node here) const {
  const auto there = displacement(node);
  const auto own = displacement(here);
  for (std::size_t k = 0; k < dimensions_; ++k) {
    if (grid.periodic(static_cast<int>(k))) continue;
    const int coordinate = grid.coordinates()[k] - own[k] + there[k];
    if (coordinate < 0 || coordinate >= grid.sizes()[k]) return false;
  }
  return true;
}

bool Tree::leads_to_an_end(const Grid& grid, Node node, Node here) const {
  // Paths on a mesh do not turn back: nothing exists beyond a node that does not exist.
  if (!exists(grid, node, here)) return false;
  if (!ends(node).empty()) return true;
  for (Node below = first_child_[node]; below != kNowhere; below = next_sibling_[below]) {
    if (leads_to_an_end(grid, below, here)) return true;
  }
  return false;
}

}  // namespace rondo::internal::allgather
