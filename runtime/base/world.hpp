/// @file
/// Functions that name this process and its communicators, for the log and reports.
#ifndef RONDO_RUNTIME_BASE_WORLD_HPP
#define RONDO_RUNTIME_BASE_WORLD_HPP

#include <mpi.h>

#include "runtime/base/text_line.hpp"

namespace rondo::internal {

/// Returns the rank of this process in MPI_COMM_WORLD, or -1 if MPI does not run and nobody has called this while MPI
/// ran. After a call while MPI ran, any thread may call it at any time.
[[nodiscard]] int world_rank() noexcept;

/// Returns a description of `comm`: "MPI_COMM_WORLD (8 ranks)" if it has a name (see MPI_Comm_set_name), "a
/// communicator of 8 ranks" otherwise. Local.
[[nodiscard]] TextLine describe_comm(MPI_Comm comm) noexcept;

}  // namespace rondo::internal

#endif
