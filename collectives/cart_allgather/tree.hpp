/// @file
/// Tree: the paths of one process's block to all of its neighbors.
#ifndef RONDO_COLLECTIVES_CART_ALLGATHER_TREE_HPP
#define RONDO_COLLECTIVES_CART_ALLGATHER_TREE_HPP

#include "collectives/paths/path_expansion.hpp"
#include "collectives/topology/folded_neighborhood.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::allgather {

/// The allgather tree of ICPP 2019, section 3.2, algorithm 2, for any path expansion. A node is a displacement from the
/// block's source that some neighbor's path visits; the root is the zero displacement. Paths that meet share one node,
/// so that a block never comes to a process twice.
///
/// All processes have the same tree, each for its own block: at node u, a process holds the block of the process at
/// minus displacement(u). A value; all functions are local.
class Tree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  /// The node of a neighbor that exists for no process, because it is beyond the edges of the mesh from everywhere.
  static constexpr Node kNowhere = std::numeric_limits<Node>::max();

  /// A round of messages: all blocks that take the same step in the same stage, to the nodes [begin, end).
  struct Round {
    std::uint32_t stage;
    Node begin;
    Node end;
  };

  /// Builds the tree of `expansion`, which must expand neighborhood.distinct(). O(u * stages + t + edges * d) time for
  /// t neighbors, u of them distinct, and O(t + edges * d) memory. The tree does not depend on the rank that `grid` is
  /// seen from.
  Tree(const Grid& grid, const FoldedNeighborhood& neighborhood, const PathExpansion& expansion);

  /// Returns the name, for people, of the path expansion from which the tree was built.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Node nodes() const noexcept { return static_cast<Node>(parents_.size()); }
  /// Returns the per-process volume V in blocks (proposition 3.3).
  [[nodiscard]] std::uint32_t edges() const noexcept { return nodes() - 1; }
  /// Returns the number of nodes other than the root at which neighbors end: each must get its block once, so V is at
  /// least this number.
  [[nodiscard]] std::uint32_t distinct_ends() const noexcept { return distinct_ends_; }
  /// Returns the rounds in order of stages. Their number is the paper's C. Stages without rounds are skipped.
  [[nodiscard]] std::span<const Round> rounds() const noexcept { return rounds_; }
  /// Returns the d coordinates of the step that is taken in rounds()[round].
  [[nodiscard]] std::span<const int> step(std::size_t round) const { return at(steps_, round); }
  /// Returns the parent of any node but the root; the parent is smaller than the node.
  [[nodiscard]] Node parent(Node node) const { return parents_[node]; }
  /// Returns d residues: the displacement from a block's source of the process that has the block at this node.
  [[nodiscard]] std::span<const int> displacement(Node node) const { return at(displacements_, node); }
  /// Returns the neighbors that end at a node, in list order: indices in [0, t).
  [[nodiscard]] std::span<const int> ends(Node node) const {
    return std::span(ends_).subspan(first_end_[node], first_end_[node + 1] - first_end_[node]);
  }

  /// Returns whether the block that the caller holds, or would hold, at node `here` goes to `node` (`here` itself or a
  /// child of it). On a torus it always does; on a mesh it does if its source exists and so does an end at `node` or
  /// below it. Both ends of a message get the same result, each from its own coordinates. On a mesh, all calls for all
  /// nodes together take O(edges * stages * d).
  [[nodiscard]] bool passes(const Grid& grid, Node node, Node here) const {
    return grid.is_torus() || (exists(grid, kRoot, here) && leads_to_an_end(grid, node, here));
  }

 private:
  class Growth;
  [[nodiscard]] std::span<const int> at(const std::vector<int>& vectors, std::size_t index) const {
    return std::span(vectors).subspan(index * dimensions_, dimensions_);
  }
  /// Returns whether the process at `node` exists, for the source whose block the caller holds at `here`.
  [[nodiscard]] bool exists(const Grid& grid, Node node, Node here) const;
  [[nodiscard]] bool leads_to_an_end(const Grid& grid, Node node, Node here) const;

  std::string name_;
  std::size_t dimensions_;
  std::uint32_t distinct_ends_ = 0;
  std::vector<Round> rounds_;
  std::vector<int> steps_;  ///< d coordinates for each round
  std::vector<Node> parents_;
  std::vector<Node> first_child_;  ///< kNowhere if there is none
  std::vector<Node> next_sibling_;
  std::vector<int> displacements_;
  std::vector<std::uint32_t> first_end_;
  std::vector<int> ends_;
};

}  // namespace rondo::internal::allgather

#endif
