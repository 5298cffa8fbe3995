/// @file
/// The way from a call of a collective of blocks to an operation, the same for all families: parse, agree, take the
/// schedule from the cache or build it, bind.
#ifndef RONDO_COLLECTIVES_CALLS_CALL_TO_OPERATION_HPP
#define RONDO_COLLECTIVES_CALLS_CALL_TO_OPERATION_HPP

#include "collectives/blocks/call.hpp"
#include "collectives/calls/family.hpp"
#include "collectives/calls/mpis_turn.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Returns a started operation for a call whose arguments equal those of a recent call, or differ from those of an
/// earlier one in buffers and the sizes and places of blocks alone. Returns nullptr if no such call was made by these
/// settings, and start_collective() must be called. Also returns nullptr if the call is for MPI's own function; `mpis`
/// has begun then. `mpis`: null if calls of that name never are. Collective; waits for nobody. Throws Error and
/// std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_again(CallState& calls, const Call& call, const Settings& settings,
                                                     MpisTurn* mpis = nullptr);
/// Returns a started nonblocking operation, from the pool of its schedule if one is idle there. Collective; waits for
/// nobody. `settings`: the same on all ranks.
[[nodiscard]] std::unique_ptr<Operation> start_collective(CollectiveFamily& family, const Call& call,
                                                          const Settings& settings);
/// Starts a call as start_collective() does, after the ranks have exchanged what they know of their blocks, for which
/// this function waits.
[[nodiscard]] std::unique_ptr<Operation> ask_and_start(CollectiveFamily& family, const Call& call,
                                                       const Settings& settings);
/// Returns a persistent operation, ready to be started. Collective; waits for the other ranks, unless they vouch for
/// their blocks. `trouble`: why this rank cannot go on, which all ranks then learn. Throws on all ranks alike if it
/// throws on one.
[[nodiscard]] std::unique_ptr<Operation> init_collective(CollectiveFamily& family, const Call& call, const Asked& asked,
                                                         std::exception_ptr trouble);

}  // namespace rondo::internal

#endif
