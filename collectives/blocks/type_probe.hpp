/// @file
/// A communicator for asking MPI about datatypes.
#ifndef RONDO_COLLECTIVES_BLOCKS_TYPE_PROBE_HPP
#define RONDO_COLLECTIVES_BLOCKS_TYPE_PROBE_HPP

#include <mpi.h>

namespace rondo::internal {

/// Returns a communicator of this process alone that returns errors, for layout_of(). Made once. Local. Throws Error.
[[nodiscard]] MPI_Comm type_probe();

}  // namespace rondo::internal

#endif
