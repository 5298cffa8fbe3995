/// @file
/// Blocking calls of collectives of blocks: each is a nonblocking call and a wait. Some calls learn which plan is the
/// fastest.
#ifndef RONDO_COLLECTIVES_CALLS_BLOCKING_CALL_HPP
#define RONDO_COLLECTIVES_CALLS_BLOCKING_CALL_HPP

#include "collectives/blocks/call.hpp"
#include "collectives/calls/family.hpp"
#include "collectives/calls/mpis_turn.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "runtime/operation/operation.hpp"

#include <functional>
#include <memory>

namespace rondo::internal {

/// A function that is called with an operation that is complete, and not yet ended.
using LookAtComplete = std::function<void(const Operation&)>;

/// Runs a call as run_collective() does, but only if start_again() recognizes the call by its arguments. Otherwise
/// returns false and does nothing. If this returns true and `mpis` has begun, the caller still has to make the call by
/// MPI's own function. Call this before run_collective(). `look`: may be empty; otherwise pass it by std::ref.
[[nodiscard]] bool run_again(CallState& calls, const Call& call, const LookAtComplete& look = {},
                             MpisTurn* mpis = nullptr);
/// Runs a blocking call by the communicator's settings, which may make it learn. If `mpis` has begun afterwards, the
/// caller still has to make the call by MPI's own function. `mpis`: null if the caller cannot do that. Of the calls of
/// one name on a communicator all have `mpis`, or none. Collective.
void run_collective(CollectiveFamily& family, const Call& call, const LookAtComplete& look = {},
                    MpisTurn* mpis = nullptr);
/// Waits for the operation of a blocking call and ends it.
void finish_blocking(std::unique_ptr<Operation> operation, const LookAtComplete& look = {});

}  // namespace rondo::internal

#endif
