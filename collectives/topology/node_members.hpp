/// @file
/// NodeMembers: tells which ranks share a node.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_NODE_MEMBERS_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_NODE_MEMBERS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The nodes of a communicator, counted in the order of their first ranks, and the ranks of each. O(p). A value.
class NodeMembers {
 public:
  /// Has no ranks. Allocates nothing.
  NodeMembers() = default;
  /// `numbers`: one for each rank, the same for ranks that share memory; 0 for a rank that shares it with no other.
  explicit NodeMembers(std::span<const std::int64_t> numbers);

  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// Returns the ranks of a node, ascending.
  [[nodiscard]] std::span<const int> members(int node) const {
    const auto at = static_cast<std::size_t>(node);
    return std::span(ranks_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
  }
  /// Returns the position of a rank among the members of its node.
  [[nodiscard]] std::size_t place_of(int rank) const;
  [[nodiscard]] int size_of(int node) const { return static_cast<int>(members(node).size()); }
  /// Returns the node `steps` after another one on the ring of all nodes, or before it if negative. At most all of them
  /// in either direction.
  [[nodiscard]] int node_after(int node, int steps) const noexcept { return (node + steps + nodes_) % nodes_; }
  /// Returns the rank of a node that sends to the node so many steps after it, at least 1, and receives from the node
  /// so many before it. Successive steps use successive ranks.
  [[nodiscard]] int rank_for(int node, int steps) const {
    return members(node)[static_cast<std::size_t>((steps - 1) % size_of(node))];
  }
  /// Returns whether each rank shares its node with the rank whose number differs in one bit, 2^k = `distance`, if
  /// there is such a rank.
  [[nodiscard]] bool hold_pairs(int distance) const noexcept;
  /// Returns the number of ranks on the largest node.
  [[nodiscard]] int most() const noexcept { return most_; }
  /// Returns whether messages between nodes can be carried for others: there are several nodes, and one of them has
  /// several ranks.
  [[nodiscard]] bool have_carriers() const noexcept { return nodes_ > 1 && most_ > 1; }

 private:
  int nodes_ = 0;
  int most_ = 0;
  std::vector<int> node_of_;
  std::vector<int> ranks_;           ///< node by node
  std::vector<std::size_t> begins_;  ///< where each node begins, and the end
};

}  // namespace rondo::internal

#endif
