/// @file
/// Finding a Cartesian neighborhood in the lists of neighbors of a distributed graph (ICPP 2019, section 2.2): what can
/// be said without asking other ranks.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_GRAPH_LISTS_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_GRAPH_LISTS_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// Where the neighbors of a neighborhood stand in a process's lists of a distributed graph: for neighbor i the index of
/// its source and of its target, -1 for those that a mesh does not have. Both empty where there was no graph.
struct GraphOrder {
  std::vector<int> sources;
  std::vector<int> targets;
};

/// The lists of one process, by offsets: its target i is at targets[i] from it, and it is at sources[i] from its source
/// i. In a periodic dimension of size p offsets are in (-p/2, p/2], so that equal ranks are equal offsets.
struct GraphLists {
  /// `weights`: of the targets, or empty. Ranks are in [0, size of the grid).
  GraphLists(const Grid& grid, std::span<const int> source_ranks, std::span<const int> target_ranks,
             std::span<const int> weights);

  Neighborhood sources;
  Neighborhood targets;
};

/// Rank of the process in the middle of a grid: on a mesh, it has more neighbors than others.
[[nodiscard]] int middle_of(const Grid& grid);
/// The corners of a grid: each offset that leads from any process to any other leads somewhere from the corner that it
/// points away from. Just rank 0 on a torus.
[[nodiscard]] std::vector<int> corners_of(const Grid& grid);
/// Those of a corner's targets that point away from it and that the process in the middle cannot have.
[[nodiscard]] Neighborhood beyond_the_middle(const Grid& grid, const Neighborhood& targets);

/// What a process's lists have that is not as in the neighborhood that all should have, or lack; nothing when they are
/// as they should be. Takes O(t log t).
[[nodiscard]] std::optional<std::string> difference(const Grid& grid, const Neighborhood& common,
                                                    const GraphLists& lists);
/// Where the neighbors stand in lists that do not differ. Of several alike the first is the first, as in MPI.
[[nodiscard]] GraphOrder order_in(const Grid& grid, const Neighborhood& common, const GraphLists& lists);

}  // namespace rondo::internal

#endif
