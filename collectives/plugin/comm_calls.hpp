/// @file
/// Makes communicators ready for nonblocking calls.
#ifndef RONDO_COLLECTIVES_PLUGIN_COMM_CALLS_HPP
#define RONDO_COLLECTIVES_PLUGIN_COMM_CALLS_HPP

#include <mpi.h>

namespace rondo::internal::plugin {

/// Prepares a communicator for Rondo's nonblocking calls, if any of them is taken. `parent`: the communicator from
/// which it was made, or MPI_COMM_NULL. Collective over `comm`, blocking.
void prepare_for_nonblocking(MPI_Comm comm, MPI_Comm parent);

/// Prepares MPI_COMM_WORLD, once MPI has been started. Collective.
void prepare_world();

}  // namespace rondo::internal::plugin

#endif
