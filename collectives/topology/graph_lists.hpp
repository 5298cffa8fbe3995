/// @file
/// Finds a Cartesian neighborhood in the lists of neighbors of a distributed graph (ICPP 2019, section 2.2), as far as
/// possible without asking other ranks.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_GRAPH_LISTS_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_GRAPH_LISTS_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// The positions of a neighborhood's neighbors in a process's lists of a distributed graph: for neighbor i the index of
/// its source and of its target, -1 for neighbors that a mesh does not have. Both are empty if there was no graph.
struct GraphOrder {
  std::vector<int> sources;
  std::vector<int> targets;
};

/// The lists of one process, by offsets: its target i is at targets[i] from it, and it is at sources[i] from its source
/// i. In a periodic dimension of size p offsets are in (-p/2, p/2], so that equal ranks have equal offsets.
struct GraphLists {
  /// `weights`: those of the targets, or empty. Ranks are in [0, size of the grid).
  GraphLists(const Grid& grid, std::span<const int> source_ranks, std::span<const int> target_ranks,
             std::span<const int> weights);

  Neighborhood sources;
  Neighborhood targets;
};

/// Returns the rank of the process in the middle of a grid: on a mesh, it has more neighbors than others.
[[nodiscard]] int middle_of(const Grid& grid);
/// Returns the corners of a grid: each offset that leads from any process to any other leads to a process from the
/// corner that it points away from. Only rank 0 on a torus.
[[nodiscard]] std::vector<int> corners_of(const Grid& grid);
/// Returns the targets of a corner that point away from it and that the process in the middle cannot have.
[[nodiscard]] Neighborhood beyond_the_middle(const Grid& grid, const Neighborhood& targets);

/// Returns how a process's lists differ from the neighborhood that all processes should have; nothing if they do not.
/// Takes O(t log t).
[[nodiscard]] std::optional<std::string> difference(const Grid& grid, const Neighborhood& common,
                                                    const GraphLists& lists);
/// Returns the positions of the neighbors in lists that do not differ. Equal neighbors have the order of the list, as
/// in MPI.
[[nodiscard]] GraphOrder order_in(const Grid& grid, const Neighborhood& common, const GraphLists& lists);

}  // namespace rondo::internal

#endif
