/// @file
/// The three forms of the Cartesian alltoall: one schedule, started in three ways.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_HPP

#include <mpi.h>

#include "collectives/alltoall_call.hpp"
#include "collectives/settings.hpp"
#include "runtime/operation.hpp"

#include <functional>
#include <memory>

namespace rondo {

class CommContext;

/// What an `_init` call asks for, given the communicator's settings. Called where a bad value can be told to all ranks.
using SettingsOf = std::function<Settings(const Settings&)>;

/// Blocking. Collective.
void run_alltoall(const AlltoallCall& call, MPI_Comm comm);
/// Nonblocking: a started operation, from the pool of its schedule. Collective; waits for nobody.
[[nodiscard]] std::unique_ptr<Operation> start_alltoall(const AlltoallCall& call, MPI_Comm comm);
/// Persistent: an operation ready to be started. Collective; may wait for other ranks.
[[nodiscard]] std::unique_ptr<Operation> init_alltoall(const AlltoallCall& call, MPI_Comm comm,
                                                       const SettingsOf& settings_of);
/// Ends a nonblocking operation that is complete: it goes back to its pool. Throws what Operation::finish() throws.
void retire(std::unique_ptr<Operation> operation);

}  // namespace rondo

#endif
