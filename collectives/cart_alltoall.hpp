/// @file
/// The three forms of the Cartesian alltoall: one schedule, started in three ways.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_HPP

#include <mpi.h>

#include "collectives/alltoall_call.hpp"
#include "collectives/comm_context.hpp"
#include "collectives/settings.hpp"
#include "runtime/operation.hpp"

#include <functional>
#include <memory>

namespace rondo {

/// Completes the call and the settings of an `_init` call, given the communicator's. Called where a bad value, or
/// whatever else it throws, can be told to all ranks; to be passed by std::ref, which allocates nothing.
using InitSteps = std::function<void(AlltoallCall&, Settings&)>;

/// Blocking. Collective.
void run_alltoall(const AlltoallCall& call, CommContext& context);
inline void run_alltoall(const AlltoallCall& call, MPI_Comm comm) { run_alltoall(call, CommContext::of(comm)); }
/// Nonblocking: a started operation, from the pool of its schedule. Collective; waits for nobody.
[[nodiscard]] std::unique_ptr<Operation> start_alltoall(const AlltoallCall& call, CommContext& context);
[[nodiscard]] inline std::unique_ptr<Operation> start_alltoall(const AlltoallCall& call, MPI_Comm comm) {
  return start_alltoall(call, CommContext::of(comm));
}
/// Persistent: an operation ready to be started. Collective; waits for the other ranks, unless they vouch for uniform
/// sizes. Throws on all ranks alike when it throws on one.
[[nodiscard]] std::unique_ptr<Operation> init_alltoall(const char* name, CommContext& context, const InitSteps& steps);
[[nodiscard]] inline std::unique_ptr<Operation> init_alltoall(const char* name, MPI_Comm comm, const InitSteps& steps) {
  return init_alltoall(name, CommContext::of(comm), steps);
}
/// Ends a nonblocking operation that is complete: it goes back to its pool. Throws what Operation::finish() throws.
void retire(std::unique_ptr<Operation> operation);

}  // namespace rondo

#endif
