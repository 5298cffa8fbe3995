/// @file
/// Machine: a platform, its costs, and the node of each rank.
#ifndef RONDO_RUNTIME_MACHINE_MACHINE_HPP
#define RONDO_RUNTIME_MACHINE_MACHINE_HPP

#include "runtime/machine/parameters.hpp"
#include "runtime/machine/platform.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::machine {

/// A way to assign ranks to nodes. All nodes have equally many ranks, except that the last ones may have fewer.
enum class Mapping : std::uint8_t {
  blocks,      ///< consecutive ranks share a node
  round_robin  ///< each rank is on the node after that of the previous rank
};

/// Returns the number of the node of each rank, by rank.
[[nodiscard]] inline std::vector<int> nodes_of_ranks(int ranks, int nodes, Mapping mapping) {
  const int on_each = (ranks + nodes - 1) / nodes;
  std::vector<int> node_of;
  for (int rank = 0; rank < ranks; ++rank)
    node_of.push_back(mapping == Mapping::blocks ? rank / on_each : rank % nodes);
  return node_of;
}

/// Returns the number of the rail of each rank, counted from 0 on its node. If a node has fewer ranks than rails, some
/// rails have no rank.
[[nodiscard]] inline std::vector<int> rails_of_ranks(std::span<const int> node_of, int rails, RailBinding binding) {
  std::vector<int> on_each(node_of.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(node_of)) + 1);
  for (const int node : node_of) ++on_each[static_cast<std::size_t>(node)];
  std::vector<int> before(on_each.size());
  std::vector<int> rail_of;
  for (const int node : node_of) {
    const auto at = static_cast<std::size_t>(node);
    const int place = before[at]++;
    rail_of.push_back(binding == RailBinding::in_turn ? place % rails : place * rails / on_each[at]);
  }
  return rail_of;
}

struct Machine {
  Platform platform;
  Parameters parameters;
  std::vector<int> node_of;  ///< for each rank

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(node_of.size()); }
};

}  // namespace rondo::internal::machine

#endif
