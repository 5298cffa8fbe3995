/// @file
/// Blocking and nonblocking calls in which plans take turns, as the calls of a problem learn which is the fastest.
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

/// Whether a call takes turns: by the communicator's own settings, which say that calls learn. The same on all ranks.
[[nodiscard]] inline bool takes_turns(CollectiveFamily& family, const Call& call, const Settings& settings) {
  return settings.learn != 0 && &settings == &family.calls().settings() && family.may_learn(call);
}

using Learning = std::shared_ptr<learning::LearningCalls>;

/// A started operation for the plan whose turn it is. Where that is not known yet, a blocking call has none, and what
/// it `waits_for`; a nonblocking one has an operation that begins when it is. A blocking call has none, either, where
/// MPI's turn has begun; `mpis`: null where MPI's own function has no turns. With the calls' mutex locked.
[[nodiscard]] std::unique_ptr<Operation> start_in_turn(CollectiveFamily& family, const Call& call,
                                                       learning::FormOfCall form, Learning& waits_for,
                                                       MpisTurn* mpis = nullptr);
/// The same of a call that is `known`; null, and but for MPI's turn nothing was done, where there is no idle operation
/// for that plan, or it is not known yet.
[[nodiscard]] std::unique_ptr<Operation> start_in_turn_again(CallState& calls, const Call& call, RecentPools& known,
                                                             MpisTurn* mpis);

/// A blocking call's operation, by `start`, which gives none where it has to wait, or where there is to be none, and
/// nothing to wait for. That is done without the calls' mutex, as callbacks may make calls.
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
