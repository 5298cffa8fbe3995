/// @file
/// CommUntilFreed: a communicator of the application's, for requests that may outlive it.
#ifndef RONDO_COLLECTIVES_PLUGIN_COMM_UNTIL_FREED_HPP
#define RONDO_COLLECTIVES_PLUGIN_COMM_UNTIL_FREED_HPP

#include <mpi.h>

#include <atomic>
#include <memory>

namespace rondo::internal::plugin {

/// Becomes MPI_COMM_NULL when the application frees the communicator, as its handle may come back with another.
using CommUntilFreed = std::shared_ptr<const std::atomic<MPI_Comm>>;

/// Local. Throws Error with MPI's class.
[[nodiscard]] CommUntilFreed until_freed(MPI_Comm comm);

}  // namespace rondo::internal::plugin

#endif
