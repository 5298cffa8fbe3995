/// @file
/// Blocking and nonblocking calls that try candidates in turn, to learn which plan is the fastest.
#ifndef RONDO_COLLECTIVES_CALLS_CALLS_IN_TURN_HPP
#define RONDO_COLLECTIVES_CALLS_CALLS_IN_TURN_HPP

#include "collectives/binding/make_operation.hpp"
#include "collectives/blocks/call.hpp"
#include "collectives/calls/family.hpp"
#include "collectives/calls/mpis_turn.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/earlier_calls/recent_calls.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "runtime/operation/operation.hpp"

#include <memory>
#include <mutex>

namespace rondo::internal {

/// Returns whether a call tries candidates: its settings are the communicator's, with learning. The same on all ranks.
[[nodiscard]] inline bool takes_turns(CollectiveFamily& family, const Call& call, const Settings& settings) {
  return settings.learn != 0 && &settings == &family.calls().settings() && family.may_learn(call);
}

using Learning = std::shared_ptr<learning::LearningCalls>;

/// Returns a started operation for the plan that is to run next. If that plan is not known yet, a blocking call gets no
/// operation, but what it `waits_for`; a nonblocking call gets an operation that begins when the plan is known. A
/// blocking call also gets no operation if it is for MPI's own function: `mpis` has begun then. `mpis`: null if MPI's
/// own function is no candidate. Call with the calls' mutex locked.
[[nodiscard]] std::unique_ptr<Operation> start_in_turn(CollectiveFamily& family, const Call& call,
                                                       learning::FormOfCall form, Learning& waits_for,
                                                       MpisTurn* mpis = nullptr);
/// Returns a started operation for a call that is `known`. Returns null, and nothing was done, if the plan has no idle
/// operation or is not known yet. Also returns null if the call is for MPI's own function: `mpis` has begun then.
[[nodiscard]] std::unique_ptr<Operation> start_in_turn_again(CallState& calls, const Call& call, RecentPools& known,
                                                             MpisTurn* mpis);

/// Returns a blocking call's operation, made by `start`, which returns none if it has to wait, or if there is to be
/// none and nothing to wait for. Waits without the calls' mutex, because callbacks may make calls.
template <typename Name, typename Start>
[[nodiscard]] std::unique_ptr<Operation> start_when_plan_is_known(const Name& name, CallState& calls, Start start) {
  for (;;) {
    Learning waits_for;
    std::unique_ptr<Operation> operation = named(name, [&] {
      const std::scoped_lock lock(calls.mutex());
      return start(waits_for);
    });
    if (operation != nullptr || waits_for == nullptr) return operation;
    waits_for->wait_for_sums();
  }
}

}  // namespace rondo::internal

#endif
