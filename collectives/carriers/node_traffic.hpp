/// @file
/// NodeTraffic: the blocks that each rank sends to each other rank, as every rank can find out.
#ifndef RONDO_COLLECTIVES_CARRIERS_NODE_TRAFFIC_HPP
#define RONDO_COLLECTIVES_CARRIERS_NODE_TRAFFIC_HPP

#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace rondo::internal {

/// A block on its way from one node to another.
struct Parcel {
  int source;
  int target;
  std::uint32_t number;  ///< number of the block at its end on the visited node
  std::int64_t bytes;
};

/// The blocks of a collective in which each block has one source and one target, seen from any rank. For one thread at
/// a time.
class NodeTraffic {
 public:
  /// A function that gets a block: the rank at its other end, its number at this end, its size. Numbers of the blocks
  /// between two ranks ascend in the same order at both ends.
  using Visit = std::function<void(int other, std::uint32_t number, std::int64_t bytes)>;
  /// A function that gets all blocks that go between two nodes, ordered by source, target and number. `other`: the node
  /// at their other end.
  using VisitPair = std::function<void(int other, std::span<const Parcel> parcels)>;

  explicit NodeTraffic(const NodeMembers& nodes) : nodes_(nodes) {}
  NodeTraffic(const NodeTraffic&) = delete;
  NodeTraffic& operator=(const NodeTraffic&) = delete;
  virtual ~NodeTraffic() = default;

  [[nodiscard]] const NodeMembers& nodes() const noexcept { return nodes_; }
  /// Visits each block that a rank sends, also those for itself, but none without bytes.
  virtual void visit_sent(int rank, const Visit& visit) const = 0;
  /// Visits each block that a rank receives, but none without bytes.
  virtual void visit_received(int rank, const Visit& visit) const = 0;
  /// Returns a number that is equal for all blocks with which one source sends the same data to several targets.
  /// `number`: the block's number at either end. Returns 0 for traffic in which each block has only one target.
  [[nodiscard]] virtual std::uint32_t shared_number(std::uint32_t /*number*/) const { return 0; }

  /// Visits the nodes that a node sends to (receives from), each with all blocks that go there (come from there).
  /// Begins with the node after it, so that not all nodes send to the same one first. Collects all blocks of the node
  /// at once, unless a derived class overrides this.
  virtual void visit_leaving(int node, const VisitPair& visit) const;
  virtual void visit_arriving(int node, const VisitPair& visit) const;
  /// Returns how many nodes visit_leaving() of `from` visits before `to`, and visit_arriving() of `to` before `from`.
  /// The first call for a node visits all blocks of that node.
  [[nodiscard]] virtual std::size_t sending_turn(int from, int to) const;
  [[nodiscard]] virtual std::size_t receiving_turn(int from, int to) const;

 protected:
  /// Returns how many steps the node `to` comes after `from` on the ring of all nodes.
  [[nodiscard]] int distance(int from, int to) const { return (to - from + nodes_.nodes()) % nodes_.nodes(); }

 private:
  [[nodiscard]] std::size_t turn_of(int other, int node, const std::vector<int>& partners) const;

  const NodeMembers& nodes_;
  mutable std::map<int, std::vector<int>> targets_;  ///< nodes that a node sends to, by node
  mutable std::map<int, std::vector<int>> sources_;
};

}  // namespace rondo::internal

#endif
