/// @file
/// What log and reports call this process and its communicators.
#ifndef RONDO_RUNTIME_BASE_WORLD_HPP
#define RONDO_RUNTIME_BASE_WORLD_HPP

#include <mpi.h>

#include "runtime/base/text_line.hpp"

namespace rondo::internal {

/// Rank of this process in MPI_COMM_WORLD. Once somebody has asked while MPI runs any thread may, at any time; -1
/// before, where MPI does not run.
[[nodiscard]] int world_rank() noexcept;

/// "MPI_COMM_WORLD (8 ranks)", by the name that MPI_Comm_set_name gave it, or "a communicator of 8 ranks". Local.
[[nodiscard]] TextLine describe_comm(MPI_Comm comm) noexcept;

}  // namespace rondo::internal

#endif
