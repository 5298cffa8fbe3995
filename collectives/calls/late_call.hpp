/// @file
/// Nonblocking calls in which plans take turns, and those of them that are made before their plan is known.
#ifndef RONDO_COLLECTIVES_CALLS_LATE_CALL_HPP
#define RONDO_COLLECTIVES_CALLS_LATE_CALL_HPP

#include "collectives/binding/make_operation.hpp"
#include "collectives/calls/timed_call.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/earlier_calls/schedule_cache.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "collectives/selection/selection.hpp"
#include "runtime/operation/operation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace rondo::internal {

/// An operation that is not started, and the pool that it returns to.
struct IdleOperation {
  std::unique_ptr<Operation> operation;
  std::shared_ptr<OperationPool> pool;
};

/// One of a schedule's idle operations, or a new one. Local; throws Error and std::bad_alloc.
[[nodiscard]] IdleOperation idle_or_new(const char* name, CallState& calls, const CachedSchedule& entry,
                                        ProgressMode progress);

/// Has it say what all plans were compared by, and what was learned. Without memory for it, it says less.
void explain_in_turn(Operation& operation, const std::shared_ptr<const Chosen>& compared,
                     const std::shared_ptr<learning::LearningCalls>& learning) noexcept;

/// Those of each nonblocking call that takes turns, whatever its plan: as many as the schedule with the most has.
/// `schedule_of(plan)`: a CachedSchedule&, of which the first one remembers it. Throws what that does.
template <typename ScheduleOf>
[[nodiscard]] std::uint32_t tags_of_turns(const learning::LearningCalls& learning, ScheduleOf schedule_of) {
  if (const auto known = schedule_of(0).tags_of_turns) return *known;
  std::uint32_t most = 0;
  for (std::size_t plan = 0; plan < learning.plans(); ++plan)
    most = std::max(most, schedule_of(plan).chosen->schedule->tags());
  schedule_of(0).tags_of_turns = most;
  return most;
}

/// What is known of a call without its plan.
struct CallWithoutPlan {
  const char* name;  ///< of the function
  Buffers buffers;
  const UserBlocks& blocks;  ///< of one of its plans
  ProgressMode progress;
  std::uint32_t tags;  ///< whatever its plan
};

/// For each plan an operation of the call. Throws; to be passed by std::ref.
using IdleOf = std::function<IdleOperation(std::size_t plan)>;

/// The next one of the calls that learn, a nonblocking one whose plan they do not know yet: an operation that is
/// started, and begins in a pass of progress when it is known. All plans are made ready, as nothing may fail then.
/// `timed`: the call's. With the calls' mutex locked. Throws Error and std::bad_alloc, and nothing was taken then.
[[nodiscard]] std::unique_ptr<Operation> start_late(CallState& calls, const CallWithoutPlan& call,
                                                    learning::LearningCalls& learning, std::unique_ptr<TimedCall> timed,
                                                    const IdleOf& idle_of);

}  // namespace rondo::internal

#endif
