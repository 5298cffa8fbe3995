/// @file
/// The grid of a Cartesian communicator, as MPI stores it.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_CARTESIAN_GRID_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_CARTESIAN_GRID_HPP

#include <mpi.h>

#include "collectives/topology/grid.hpp"

namespace rondo::internal {

/// Throws Error (MPI_ERR_TOPOLOGY) unless MPI says that `cartcomm` is Cartesian. Local.
void check_cartesian(MPI_Comm cartcomm);

/// Returns the grid of a communicator that MPI says is Cartesian. Throws the errors of check_cartesian(). Local.
[[nodiscard]] Grid cartesian_grid(MPI_Comm cartcomm);

}  // namespace rondo::internal

#endif
