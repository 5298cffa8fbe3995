/// @file
/// Moving processes to better places of a grid (ICPP 2019, section 2: `reorder`).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_REORDER_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_REORDER_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

namespace rondo::internal {

/// Asks MPI which processes share a node; processes with different RONDO_NODE count as on different nodes.
inline constexpr int kAskMpi = -1;

/// Returns a duplicate of `comm` in which the ranks are the places that map_processes() found, to be freed by the
/// caller, or MPI_COMM_NULL if no process moves. `node`: a number of the caller's node, or kAskMpi. Collective: rank 0
/// gathers the nodes of the ranks, finds the places and sends each rank its own. Throws Error on all ranks alike.
[[nodiscard]] MPI_Comm reordered(MPI_Comm comm, const Grid& grid, const Neighborhood& neighborhood, int node);

}  // namespace rondo::internal

#endif
