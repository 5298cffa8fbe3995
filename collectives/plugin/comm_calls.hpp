/// @file
/// Making communicators ready for nonblocking calls.
#ifndef RONDO_COLLECTIVES_PLUGIN_COMM_CALLS_HPP
#define RONDO_COLLECTIVES_PLUGIN_COMM_CALLS_HPP

#include <mpi.h>

namespace rondo::internal::plugin {

/// Does for a communicator what Rondo's nonblocking calls on it need to have been done, if any of them is taken.
/// `parent`: what it was made from, or MPI_COMM_NULL. Collective over `comm`, blocking.
void prepare_for_nonblocking(MPI_Comm comm, MPI_Comm parent);

/// The same for MPI_COMM_WORLD, once MPI has been started. Collective.
void prepare_world();

}  // namespace rondo::internal::plugin

#endif
