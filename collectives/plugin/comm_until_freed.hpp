/// @file
/// CommUntilFreed: a communicator of the application, for requests that may outlive it.
#ifndef RONDO_COLLECTIVES_PLUGIN_COMM_UNTIL_FREED_HPP
#define RONDO_COLLECTIVES_PLUGIN_COMM_UNTIL_FREED_HPP

#include <mpi.h>

#include <atomic>
#include <memory>

namespace rondo::internal::plugin {

/// A handle that becomes MPI_COMM_NULL when the application frees the communicator, because another communicator may
/// get the same handle.
using CommUntilFreed = std::shared_ptr<const std::atomic<MPI_Comm>>;

/// Returns the shared handle of a communicator. Local. Throws Error with MPI's class.
[[nodiscard]] CommUntilFreed until_freed(MPI_Comm comm);

}  // namespace rondo::internal::plugin

#endif
