/// @file
/// Moving processes to better places of a grid (ICPP 2019, section 2: `reorder`).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_REORDER_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_REORDER_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/topology/grid.hpp"

namespace rondo::internal {

/// Ask MPI which processes share a node, and tell apart those with different RONDO_NODE.
inline constexpr int kAskMpi = -1;

/// A duplicate of `comm` in which the ranks are the places that map_processes() found, to be freed by the caller, or
/// MPI_COMM_NULL where all stay. `node`: a number of the caller's node, or kAskMpi. Collective: what they know of
/// their nodes is gathered on rank 0, which finds the places and tells each its own. Throws Error on all ranks alike.
[[nodiscard]] MPI_Comm reordered(MPI_Comm comm, const Grid& grid, const Neighborhood& neighborhood, int node);

}  // namespace rondo::internal

#endif
