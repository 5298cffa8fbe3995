/// @file
/// NeighborMask: the neighbors that a process has on a mesh.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_NEIGHBOR_MASK_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_NEIGHBOR_MASK_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <vector>

namespace rondo::internal {

/// A flag for each of the t neighbors. Both lists are empty on a torus, on which all neighbors exist.
struct NeighborMask {
  NeighborMask(const Grid& grid, const Neighborhood& neighborhood) {
    if (grid.is_torus()) return;
    for (int i = 0; i < neighborhood.size(); ++i) {
      targets.push_back(grid.relative_rank(neighborhood[i]) == kNoRank ? 0 : 1);
      sources.push_back(grid.relative_rank(neighborhood[i], -1) == kNoRank ? 0 : 1);
    }
  }
  std::vector<char> targets;
  std::vector<char> sources;
};

}  // namespace rondo::internal

#endif
