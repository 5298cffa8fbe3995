/// @file
/// Blocking calls of collectives of blocks: a nonblocking one and a wait, of which some learn which plan is the
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

/// Is shown an operation that is complete, and not yet ended.
using LookAtComplete = std::function<void(const Operation&)>;

/// What run_collective() does, at once, for a call that was lately made with equal arguments. False, and nothing was
/// done, for any other. To be tried first. `look` may be empty; to be passed by std::ref.
[[nodiscard]] bool run_again(CallState& calls, const Call& call, const LookAtComplete& look = {},
                             MpisTurn* mpis = nullptr);
/// By the communicator's settings, which may have it learn. Where MPI's turn has begun, the call is still to be made.
/// `mpis`: null where its maker cannot. Of the calls of one name on a communicator all have it, or none. Collective.
void run_collective(CollectiveFamily& family, const Call& call, const LookAtComplete& look = {},
                    MpisTurn* mpis = nullptr);
/// What is left of a blocking call.
void finish_blocking(std::unique_ptr<Operation> operation, const LookAtComplete& look = {});

}  // namespace rondo::internal

#endif
