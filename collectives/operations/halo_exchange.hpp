/// @file
/// The halo exchange, from arguments to an operation.
#ifndef RONDO_COLLECTIVES_OPERATIONS_HALO_EXCHANGE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_HALO_EXCHANGE_HPP

#include "collectives/arguments/halo_call.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Blocking: started and waited for, by the communicator's settings, which may have it learn. See start_halo().
void run_halo(const HaloCall& call, NeighborhoodContext& context);
/// Nonblocking: a started operation, from the pool of its schedule. Collective; waits for nobody, so that the algorithm
/// is chosen for assumed_arrays(). Throws on this rank only.
[[nodiscard]] std::unique_ptr<Operation> start_halo(const HaloCall& call, NeighborhoodContext& context);
/// Persistent: an operation ready to be started. Collective; waits for the other ranks. `trouble`: why this rank cannot
/// go on, which the others are to hear of. Throws on all ranks alike when it throws on one.
[[nodiscard]] std::unique_ptr<Operation> init_halo(const HaloCall& call, NeighborhoodContext& context,
                                                   const Asked& asked, std::exception_ptr trouble);

}  // namespace rondo::internal

#endif
