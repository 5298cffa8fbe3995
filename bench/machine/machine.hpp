/// @file
/// Machine: a platform, what things cost on it, and which rank is on which node.
#ifndef RONDO_BENCH_MACHINE_MACHINE_HPP
#define RONDO_BENCH_MACHINE_MACHINE_HPP

#include "bench/machine/parameters.hpp"
#include "bench/machine/platform.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal::machine {

/// How ranks are dealt out to nodes, with as many on each, or, on the last ones, fewer.
enum class Mapping : std::uint8_t {
  blocks,      ///< ranks in a row share a node
  round_robin  ///< each rank is on the node after that of the rank before
};

/// The node of each rank.
[[nodiscard]] inline std::vector<int> nodes_of_ranks(int ranks, int nodes, Mapping mapping) {
  const int on_each = (ranks + nodes - 1) / nodes;
  std::vector<int> node_of;
  for (int rank = 0; rank < ranks; ++rank)
    node_of.push_back(mapping == Mapping::blocks ? rank / on_each : rank % nodes);
  return node_of;
}

struct Machine {
  Platform platform;
  Parameters parameters;
  std::vector<int> node_of;  ///< for each rank

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(node_of.size()); }
};

}  // namespace rondo::internal::machine

#endif
