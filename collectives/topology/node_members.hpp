/// @file
/// NodeMembers: which ranks share a node.
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
  /// Of nobody. Allocates nothing.
  NodeMembers() = default;
  /// `numbers`: one for each rank, the same for ranks that share memory; 0 for one that shares it with nobody.
  explicit NodeMembers(std::span<const std::int64_t> numbers);

  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// Ascending.
  [[nodiscard]] std::span<const int> members(int node) const {
    const auto at = static_cast<std::size_t>(node);
    return std::span(ranks_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
  }
  /// Where a rank stands among the members of its node.
  [[nodiscard]] std::size_t place_of(int rank) const;
  [[nodiscard]] int size_of(int node) const { return static_cast<int>(members(node).size()); }
  /// The node `steps` after another one on the ring of all nodes; negative: before. At most all of them either way.
  [[nodiscard]] int node_after(int node, int steps) const noexcept { return (node + steps + nodes_) % nodes_; }
  /// The rank of a node that sends to the one so many steps after it, at least 1, and receives from the one so many
  /// before it: its ranks take turns.
  [[nodiscard]] int rank_for(int node, int steps) const {
    return members(node)[static_cast<std::size_t>((steps - 1) % size_of(node))];
  }
  /// Whether each rank shares its node with the one whose number differs from its own in one bit, 2^k = `distance`, if
  /// there is such a one.
  [[nodiscard]] bool hold_pairs(int distance) const noexcept;
  /// Ranks on the largest node.
  [[nodiscard]] int most() const noexcept { return most_; }
  /// Whether messages between nodes can be carried for others: several nodes, one of them of several ranks.
  [[nodiscard]] bool have_carriers() const noexcept { return nodes_ > 1 && most_ > 1; }

 private:
  int nodes_ = 0;
  int most_ = 0;
  std::vector<int> node_of_;
  std::vector<int> ranks_;           ///< node by node
  std::vector<std::size_t> begins_;  ///< of each node, and the end
};

}  // namespace rondo::internal

#endif
