/// @file
/// Functions that run halo exchanges in their three forms: blocking, nonblocking and persistent.
#ifndef RONDO_COLLECTIVES_OPERATIONS_HALO_EXCHANGE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_HALO_EXCHANGE_HPP

#include "collectives/arguments/halo_call.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Runs a blocking halo exchange by the communicator's settings, which may make calls learn. See start_halo().
void run_halo(const HaloCall& call, NeighborhoodContext& context);
/// Returns the started operation of a nonblocking halo exchange, from the pool of its schedule. Collective; waits for
/// nobody, so that the algorithm is chosen for assumed_arrays(). Throws on this rank only.
[[nodiscard]] std::unique_ptr<Operation> start_halo(const HaloCall& call, NeighborhoodContext& context);
/// Returns the operation of a persistent halo exchange, ready to be started. Collective; waits for the other ranks.
/// `trouble`: the error, if any, that keeps this rank from going on, which the other ranks learn of. Throws on all
/// ranks alike if it throws on one.
[[nodiscard]] std::unique_ptr<Operation> init_halo(const HaloCall& call, NeighborhoodContext& context,
                                                   const Asked& asked, std::exception_ptr trouble);

}  // namespace rondo::internal

#endif
