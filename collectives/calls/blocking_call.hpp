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

/// What the maker of a blocking call has for it, each to be passed by std::ref, or empty.
struct ForCall {
  LookAtComplete look;
  CallOfMpi mpis;  ///< takes turns where calls learn; of calls of one name on one communicator all have it, or none
};

/// What run_collective() does, at once, for a call that was lately made with equal arguments. False, and nothing was
/// done, for any other. To be tried first.
[[nodiscard]] bool run_again(CallState& calls, const Call& call, const ForCall& with = {});
/// By the communicator's settings, which may have it learn. Collective.
void run_collective(CollectiveFamily& family, const Call& call, const ForCall& with = {});
/// What is left of a blocking call.
void finish_blocking(std::unique_ptr<Operation> operation, const LookAtComplete& look = {});

}  // namespace rondo::internal

#endif
