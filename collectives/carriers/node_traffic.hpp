/// @file
/// NodeTraffic: who sends which blocks to whom, as every rank can tell of every other.
#ifndef RONDO_COLLECTIVES_CARRIERS_NODE_TRAFFIC_HPP
#define RONDO_COLLECTIVES_CARRIERS_NODE_TRAFFIC_HPP

#include "collectives/topology/node_members.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace rondo::internal {

/// The blocks of a collective in which each has one source and one target, seen from anywhere. Not for several threads
/// at once.
class NodeTraffic {
 public:
  /// A block: its rank at the other end, its number at this end, its size. Numbers of the blocks between two ranks
  /// ascend in the same order at both ends.
  using Visit = std::function<void(int other, std::uint32_t number, std::int64_t bytes)>;

  explicit NodeTraffic(const NodeMembers& nodes) : nodes_(nodes) {}
  NodeTraffic(const NodeTraffic&) = delete;
  NodeTraffic& operator=(const NodeTraffic&) = delete;
  virtual ~NodeTraffic() = default;

  [[nodiscard]] const NodeMembers& nodes() const noexcept { return nodes_; }
  /// Each block that a rank sends, those for itself too; none without bytes.
  virtual void visit_sent(int rank, const Visit& visit) const = 0;
  /// Each block that a rank receives.
  virtual void visit_received(int rank, const Visit& visit) const = 0;
  /// The other nodes that a node sends to, ascending. Looks at its blocks when it is asked first.
  [[nodiscard]] const std::vector<int>& targets_of(int node) const;
  /// The other nodes that it receives from, ascending.
  [[nodiscard]] const std::vector<int>& sources_of(int node) const;

 protected:
  [[nodiscard]] virtual std::vector<int> find_targets_of(int node) const;
  [[nodiscard]] virtual std::vector<int> find_sources_of(int node) const;

 private:
  const NodeMembers& nodes_;
  mutable std::map<int, std::vector<int>> targets_;  ///< of the nodes that were asked for
  mutable std::map<int, std::vector<int>> sources_;
};

}  // namespace rondo::internal

#endif
