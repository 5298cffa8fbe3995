#include "collectives/calls/calls_in_turn.hpp"

#include "collectives/binding/learning_operation.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/blocks/type_probe.hpp"
#include "collectives/calls/cached_calls.hpp"
#include "collectives/calls/late_call.hpp"
#include "collectives/calls/timed_call.hpp"
#include "collectives/comm_state/agreement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace rondo::internal {
namespace {

using learning::FormOfCall;
using learning::LearningCalls;

/// A call that tries candidates, and its family.
class CallInTurn {
 public:
  CallInTurn(CollectiveFamily& family, const Call& call)
      : family_(family),
        calls_(family.calls()),
        checked_(call, family.pattern(), type_probe()),
        key_(key_of(family, checked_, calls_.settings())) {}

  [[nodiscard]] const CheckedCall& checked() const noexcept { return checked_; }
  /// Returns the schedule of a plan. Plan 0 is what the model chooses.
  [[nodiscard]] CachedSchedule& schedule_of(std::size_t plan, const LearningCalls* learning) {
    const Settings& settings = calls_.settings();
    if (plan == 0) return cached_schedule(family_, checked_, nullptr, settings, key_.words);
    Settings of_plan = settings;
    of_plan.force(learning->name_of(plan));
    return cached_schedule(family_, checked_, nullptr, of_plan, key_.with(of_plan));
  }
  /// Returns what all plans were compared by.
  [[nodiscard]] std::shared_ptr<const Chosen> compared() { return schedule_of(0, nullptr).chosen; }
  /// Returns the learning state of such calls, or null if there is nothing to learn.
  [[nodiscard]] std::shared_ptr<LearningCalls> learning(FormOfCall form, MpisOwn mpis) {
    CachedSchedule& entry = schedule_of(0, nullptr);
    check_buffers_again(checked_, entry);
    auto& known = entry.learning[static_cast<std::size_t>(form)];
    if (!known) {
      const Collective collective = checked_.call.collective;
      // Only dense collectives can be made by MPI's own function.
      if (calls_.settings().algorithm_of(kind_of_dense(collective)) != "auto") mpis = MpisOwn::is_not_to_be_had;
      known = learning_of(form, name_of(collective), *entry.chosen, calls_, calls_.settings(), mpis);
    }
    return *known;
  }
  /// Returns the number of tags of a call that tries candidates; 0 if the call is blocking.
  [[nodiscard]] std::uint32_t tags(FormOfCall form, const LearningCalls& learning) {
    if (form == FormOfCall::blocking) return 0;
    return tags_of_turns(learning, [&](std::size_t plan) -> CachedSchedule& { return schedule_of(plan, &learning); });
  }

 private:
  CollectiveFamily& family_;
  CallState& calls_;
  CheckedCall checked_;
  CacheKey key_;
};

/// Makes an equal call find the idle operations of the plan.
void remember_in_turn(CallState& calls, const CheckedCall& checked, const std::shared_ptr<LearningCalls>& learning,
                      std::size_t plan, const std::shared_ptr<OperationPool>& pool, std::uint32_t tags) {
  static_cast<void>(trouble_in([&] {
    RecentPools* const known = calls.recent().find(checked.call);
    const bool over = learning->over();
    if (!over && known != nullptr && known->turns != nullptr) {
      known->turns->pools[plan] = pool;
      return;
    }
    RecentPools pools{.pool = pool, .tags = tags, .mpis = over && learning->is_mpis_own(plan)};
    if (!over) {
      pools.pool = nullptr;
      pools.turns = std::make_unique<RecentTurns>(RecentTurns{learning, {}});
      pools.turns->pools[plan] = pool;
    }
    if (known != nullptr) {
      *known = std::move(pools);
    } else {
      remember(calls, checked, std::move(pools));
    }
  }));
}

/// Starts a nonblocking call whose plan is not known yet.
std::unique_ptr<Operation> start_late(CallInTurn& in_turn, CollectiveFamily& family,
                                      const std::shared_ptr<LearningCalls>& learning,
                                      std::unique_ptr<TimedCall> timed) {
  CallState& calls = family.calls();
  const Call& call = in_turn.checked().call;
  const ProgressMode progress = family.progress(calls.settings());
  const auto idle_of = [&](std::size_t plan) {
    IdleOperation idle = idle_or_new(call.name, calls, in_turn.schedule_of(plan, learning.get()), progress);
    explain_in_turn(*idle.operation, in_turn.compared(), learning);
    return idle;
  };
  const std::uint32_t tags = in_turn.tags(FormOfCall::nonblocking, *learning);
  return start_late(calls, {call.name, buffers_of(call), in_turn.schedule_of(0, nullptr).blocks, progress, tags},
                    *learning, std::move(timed), std::ref(idle_of));
}

}  // namespace

std::unique_ptr<Operation> start_in_turn_again(CallState& calls, const Call& call, RecentPools& known, MpisTurn* mpis) {
  if (known.turns == nullptr) {
    mpis->begin(nullptr, true);
    return nullptr;
  }
  LearningCalls& learning = *known.turns->learning;
  auto timed = std::make_unique<TimedCall>(known.turns->learning);
  const std::optional<std::size_t> plan = next_plan(learning, calls, calls.settings());
  if (!plan) return nullptr;
  if (learning.is_mpis_own(*plan)) {
    const bool over = learning.over();
    mpis->begin(over ? nullptr : std::move(timed), over);
    if (over) known = {.mpis = true};
    return nullptr;
  }
  const std::shared_ptr<OperationPool>& pool = known.turns->pools[*plan];
  std::unique_ptr<Operation> operation = start_idle_of(pool, calls, buffers_of(call), known.tags);
  if (operation == nullptr) return operation;
  TimedCall::begun(std::move(timed), *operation);
  if (learning.over()) known = {.pool = pool, .tags = known.tags};
  return operation;
}

std::unique_ptr<Operation> start_in_turn(CollectiveFamily& family, const Call& call, FormOfCall form,
                                         Learning& waits_for, MpisTurn* mpis) {
  CallState& calls = family.calls();
  calls.on()->own()->require_usable();
  CallInTurn in_turn(family, call);
  const std::shared_ptr<LearningCalls> learning =
      in_turn.learning(form, mpis != nullptr ? MpisOwn::is_to_be_had : MpisOwn::is_not_to_be_had);
  std::unique_ptr<TimedCall> timed;
  std::shared_ptr<const Chosen> compared;
  std::uint32_t tags = 0;
  std::size_t plan = 0;
  if (learning != nullptr) {
    timed = std::make_unique<TimedCall>(learning);
    const std::optional<std::size_t> known = next_plan(*learning, calls, calls.settings());
    if (!known && form == FormOfCall::nonblocking) return start_late(in_turn, family, learning, std::move(timed));
    if (!known) {
      waits_for = learning;
      return nullptr;
    }
    plan = *known;
    if (learning->is_mpis_own(plan)) {
      const bool over = learning->over();
      const bool for_good = over && may_be_remembered(calls, call, calls.settings());
      mpis->begin(over ? nullptr : std::move(timed), for_good);
      if (for_good) remember_in_turn(calls, in_turn.checked(), learning, plan, nullptr, 0);
      return nullptr;
    }
    tags = in_turn.tags(form, *learning);
    compared = in_turn.compared();
  }
  CachedSchedule& entry = in_turn.schedule_of(plan, learning.get());
  Started started = start_cached(call.name, calls, entry, buffers_of(call), family.progress(calls.settings()), tags);
  if (learning != nullptr) {
    TimedCall::begun(std::move(timed), *started.operation);
    if (form == FormOfCall::nonblocking) explain_in_turn(*started.operation, compared, learning);
  }
  if (started.repeated && may_be_remembered(calls, call, calls.settings())) {
    if (learning != nullptr) {
      remember_in_turn(calls, in_turn.checked(), learning, plan, entry.pool, tags);
    } else {
      remember(calls, in_turn.checked(), {.pool = entry.pool});
    }
  }
  return std::move(started.operation);
}

}  // namespace rondo::internal
