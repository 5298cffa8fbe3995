/// @file
/// NodeTraffic: who sends which blocks to whom, as every rank can tell of every other.
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
  std::uint32_t number;  ///< at the end on the node that is looked at
  std::int64_t bytes;
};

/// The blocks of a collective in which each has one source and one target, seen from anywhere. Not for several threads
/// at once.
class NodeTraffic {
 public:
  /// A block: its rank at the other end, its number at this end, its size. Numbers of the blocks between two ranks
  /// ascend in the same order at both ends.
  using Visit = std::function<void(int other, std::uint32_t number, std::int64_t bytes)>;
  /// What goes between two nodes, by source, target and number.
  using VisitPair = std::function<void(int other, std::span<const Parcel> parcels)>;

  explicit NodeTraffic(const NodeMembers& nodes) : nodes_(nodes) {}
  NodeTraffic(const NodeTraffic&) = delete;
  NodeTraffic& operator=(const NodeTraffic&) = delete;
  virtual ~NodeTraffic() = default;

  [[nodiscard]] const NodeMembers& nodes() const noexcept { return nodes_; }
  /// Each block that a rank sends, those for itself too; none without bytes.
  virtual void visit_sent(int rank, const Visit& visit) const = 0;
  /// Each block that a rank receives.
  virtual void visit_received(int rank, const Visit& visit) const = 0;
  /// Where a block may be for several targets: which of its source's blocks has a number, that of either end.
  [[nodiscard]] virtual std::uint32_t shared_number(std::uint32_t /*number*/) const { return 0; }

  /// The nodes that a node sends to, or receives from, each with all that goes there or comes from there: from the node
  /// after it on, so that not all nodes send to the same one first. Looks at all blocks of the node at once, unless
  /// another kind of traffic knows better.
  virtual void visit_leaving(int node, const VisitPair& visit) const;
  virtual void visit_arriving(int node, const VisitPair& visit) const;
  /// How many nodes visit_leaving() of `from` visits before `to`, and visit_arriving() of `to` before `from`. Looks at
  /// the blocks of that node when it is asked first.
  [[nodiscard]] virtual std::size_t sending_turn(int from, int to) const;
  [[nodiscard]] virtual std::size_t receiving_turn(int from, int to) const;

 protected:
  /// Nodes that a node comes across before the other one, on its way around all of them.
  [[nodiscard]] int distance(int from, int to) const { return (to - from + nodes_.nodes()) % nodes_.nodes(); }

 private:
  [[nodiscard]] std::size_t turn_of(int other, int node, const std::vector<int>& partners) const;

  const NodeMembers& nodes_;
  mutable std::map<int, std::vector<int>> targets_;  ///< of the nodes that were asked for
  mutable std::map<int, std::vector<int>> sources_;
};

}  // namespace rondo::internal

#endif
