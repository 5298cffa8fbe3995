/// @file
/// Carriers: who on a node sends what leaves for another one, and who there takes it.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIERS_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIERS_HPP

#include "collectives/carriers/node_traffic.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal {

/// The carriers of one node. Its members take turns: first over the nodes that it sends to, then on over those that it
/// receives from, each time from the node after it, so that not all nodes send to one of them first. Every rank finds
/// the same, for any node, from what all know.
class Carriers {
 public:
  /// Takes the time of looking at all blocks of the node. Keeps a reference.
  Carriers(const NodeTraffic& traffic, int node)
      : traffic_(traffic), node_(node), targets_(traffic.targets_of(node)), sources_(traffic.sources_of(node)) {}

  /// The nodes that this one sends to, ascending, each by one message.
  [[nodiscard]] std::span<const int> targets() const noexcept { return targets_; }
  [[nodiscard]] std::span<const int> sources() const noexcept { return sources_; }
  /// The rank on this node that sends to targets()[i], or takes what comes from sources()[i].
  [[nodiscard]] int sender_to(std::size_t i) const { return in_turn(turn_of(i, targets_)); }
  [[nodiscard]] int receiver_from(std::size_t i) const { return in_turn(targets_.size() + turn_of(i, sources_)); }
  /// The index in targets() whose turn it is, or in sources().
  [[nodiscard]] std::size_t target_in(std::size_t turn) const { return in(turn, targets_); }
  [[nodiscard]] std::size_t source_in(std::size_t turn) const { return in(turn, sources_); }
  /// The rank on the other node. Takes the time of looking at all blocks of that node.
  [[nodiscard]] int partner_at_target(std::size_t i) const;
  [[nodiscard]] int partner_at_source(std::size_t i) const;

 private:
  [[nodiscard]] std::size_t turn_of(std::size_t i, const std::vector<int>& nodes) const;
  [[nodiscard]] std::size_t in(std::size_t turn, const std::vector<int>& nodes) const;
  [[nodiscard]] int in_turn(std::size_t turn) const {
    const auto members = traffic_.nodes().members(node_);
    return members[turn % members.size()];
  }

  const NodeTraffic& traffic_;
  int node_;
  std::vector<int> targets_;
  std::vector<int> sources_;
};

/// Where a node stands in such a list.
[[nodiscard]] std::size_t position_of(int node, std::span<const int> nodes);

}  // namespace rondo::internal

#endif
