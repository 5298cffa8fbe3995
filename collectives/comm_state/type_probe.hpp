/// @file
/// A communicator for asking MPI about datatypes.
#ifndef RONDO_COLLECTIVES_COMM_STATE_TYPE_PROBE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_TYPE_PROBE_HPP

#include <mpi.h>

namespace rondo::internal {

/// Of this process alone, and it returns errors: for layout_of(). Made by the first call. Local. Throws Error.
[[nodiscard]] MPI_Comm type_probe();

}  // namespace rondo::internal

#endif
