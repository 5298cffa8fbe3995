/// @file
/// Nonblocking calls that try candidates, and those of them that are made before their plan is known.
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

/// Returns one of a schedule's idle operations, or a new one. Local; throws Error and std::bad_alloc.
[[nodiscard]] IdleOperation idle_or_new(const char* name, CallState& calls, const CachedSchedule& entry,
                                        ProgressMode progress);

/// Makes an operation explain what all plans were compared by, and what was learned. Without memory, it explains less.
void explain_in_turn(Operation& operation, const std::shared_ptr<const Chosen>& compared,
                     const std::shared_ptr<learning::LearningCalls>& learning) noexcept;

/// Returns the number of tags of each nonblocking call that tries candidates: as many as the schedule with the most
/// has. `schedule_of(plan)`: returns a CachedSchedule&; the first one remembers the number. Throws what schedule_of()
/// throws.
template <typename ScheduleOf>
[[nodiscard]] std::uint32_t tags_of_turns(const learning::LearningCalls& learning, ScheduleOf schedule_of) {
  if (const auto known = schedule_of(0).tags_of_turns) return *known;
  std::uint32_t most = 0;
  for (std::size_t plan = 0; plan < learning.plans(); ++plan)
    most = std::max(most, schedule_of(plan).chosen->schedule->tags());
  schedule_of(0).tags_of_turns = most;
  return most;
}

/// A call whose plan is not known yet.
struct CallWithoutPlan {
  const char* name;  ///< name of the function
  Buffers buffers;
  const UserBlocks& blocks;  ///< blocks of one of its plans
  ProgressMode progress;
  std::uint32_t tags;  ///< number of tags, whatever its plan
};

/// A function that returns an operation of the call for each plan. Throws; pass it by std::ref.
using IdleOf = std::function<IdleOperation(std::size_t plan)>;

/// Returns a started operation for a nonblocking call that learns and whose plan is not known yet. It begins in a pass
/// of progress when the plan is known. All plans are made ready now, because nothing may fail then. `timed`: the
/// call's. Call with the calls' mutex locked. Throws Error and std::bad_alloc, and nothing was taken then.
[[nodiscard]] std::unique_ptr<Operation> start_late(CallState& calls, const CallWithoutPlan& call,
                                                    learning::LearningCalls& learning, std::unique_ptr<TimedCall> timed,
                                                    const IdleOf& idle_of);

}  // namespace rondo::internal

#endif
