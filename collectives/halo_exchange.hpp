/// @file
/// The halo exchange, from arguments to an operation.
#ifndef RONDO_COLLECTIVES_HALO_EXCHANGE_HPP
#define RONDO_COLLECTIVES_HALO_EXCHANGE_HPP

#include "collectives/comm_context.hpp"
#include "collectives/halo_call.hpp"
#include "collectives/settings.hpp"
#include "runtime/operation.hpp"

#include <functional>
#include <memory>

namespace rondo {

/// Completes the call and the settings, given the communicator's. Called where whatever it throws can be told to all
/// ranks; to be passed by std::ref, which allocates nothing.
using HaloSteps = std::function<void(HaloCall&, Settings&)>;

/// Persistent: an operation ready to be started. Collective; waits for the other ranks. Throws on all ranks alike when
/// it throws on one.
[[nodiscard]] std::unique_ptr<Operation> init_halo(const char* name, CommContext& context, const HaloSteps& steps);

}  // namespace rondo

#endif
