#include "collectives/calls/blocking_call.hpp"

#include "collectives/binding/learning_operation.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/calls/cached_calls.hpp"
#include "collectives/calls/call_to_operation.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/type_probe.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace rondo::internal {
namespace {

/// What a blocking call that learns takes of its caller's time.
class CallTime {
 public:
  /// It takes part in this from now on.
  void begin(std::shared_ptr<learning::LearningCalls> learning) noexcept {
    learning_ = std::move(learning);
    began_ = Clock::now();
  }
  void end() const noexcept {
    if (learning_ != nullptr) learning_->took(std::chrono::nanoseconds(Clock::now() - began_).count());
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<learning::LearningCalls> learning_;
  Clock::time_point began_;
};

/// A call that was lately made with equal arguments, for the plan whose turn it is; nullptr where that is not idle.
std::unique_ptr<Operation> start_in_turn_again(CallState& calls, const Call& call, RecentPools& known, CallTime& time) {
  time.begin(known.turns->learning);
  learning::LearningCalls& learning = *known.turns->learning;
  const std::size_t plan = next_plan(learning, calls, calls.settings());
  const std::shared_ptr<OperationPool>& pool = known.turns->pools[plan];
  std::unique_ptr<Operation> operation = start_idle_of(pool, calls, buffers_of(call));
  if (operation == nullptr) return operation;
  learning.begun();
  if (learning.over()) known = {pool, nullptr};
  return operation;
}

/// The same of a call that was looked up, from now on.
void remember_in_turn(CallState& calls, const CheckedCall& checked,
                      const std::shared_ptr<learning::LearningCalls>& learning, std::size_t plan,
                      const std::shared_ptr<OperationPool>& pool) {
  static_cast<void>(trouble_in([&] {
    RecentPools* const known = calls.recent().find(checked.call);
    const bool over = learning->over();
    if (!over && known != nullptr && known->turns != nullptr) {
      known->turns->pools[plan] = pool;
      return;
    }
    RecentPools pools{pool, nullptr};
    if (!over) {
      pools = {nullptr, std::make_unique<RecentTurns>(RecentTurns{learning, {}})};
      pools.turns->pools[plan] = pool;
    }
    if (known != nullptr) {
      *known = std::move(pools);
    } else {
      remember(calls, checked, std::move(pools));
    }
  }));
}

/// Any other blocking call, for the plan that the model chooses, or whose turn it is.
std::unique_ptr<Operation> start_in_turn(CollectiveFamily& family, const Call& call, CallTime& time) {
  CallState& calls = family.calls();
  const Settings& settings = calls.settings();
  calls.on()->own()->require_usable();
  const CheckedCall checked(call, family.pattern(), type_probe());
  const CacheKey key = key_of(family, checked, settings);
  CachedSchedule* entry = &cached_schedule(family, checked, nullptr, settings, key.words);
  check_buffers_again(checked, *entry);
  if (!entry->learning) entry->learning = learning_of(name_of(call.collective), *entry->chosen, calls, settings);
  const std::shared_ptr<learning::LearningCalls> learning = *entry->learning;
  std::size_t plan = 0;
  if (learning != nullptr) {
    time.begin(learning);
    plan = next_plan(*learning, calls, settings);
  }
  if (plan != 0) {  // the first is what the model chooses
    Settings of_plan = settings;
    of_plan.algorithm = learning->name_of(plan);
    entry = &cached_schedule(family, checked, nullptr, of_plan, key.with(of_plan));
  }
  Started started = start_cached(call.name, calls, *entry, buffers_of(call), family.progress(settings));
  if (learning != nullptr) learning->begun();
  if (started.repeated && may_be_remembered(calls, call, settings)) {
    if (learning != nullptr) {
      remember_in_turn(calls, checked, learning, plan, entry->pool);
    } else {
      remember(calls, checked, {entry->pool, nullptr});
    }
  }
  return std::move(started.operation);
}

/// As run_again(), where calls learn.
bool run_again_in_turn(CallState& calls, const Call& call, const LookAtComplete& look) {
  CallTime time;
  std::unique_ptr<Operation> operation = named(call.name, [&]() -> std::unique_ptr<Operation> {
    const std::scoped_lock lock(calls.mutex());
    RecentPools* const known = calls.recent().find(call);
    if (known == nullptr) return nullptr;
    if (known->turns != nullptr) return start_in_turn_again(calls, call, *known, time);
    return start_idle_of(known->pool, calls, buffers_of(call));
  });
  if (operation == nullptr) return false;
  finish_blocking(std::move(operation), look);
  time.end();
  return true;
}

}  // namespace

[[gnu::hot]] bool run_again(CallState& calls, const Call& call, const LookAtComplete& look) {
  if (calls.settings().learn != 0) [[unlikely]]
    return run_again_in_turn(calls, call, look);
  std::unique_ptr<Operation> operation = start_again(calls, call);
  if (operation == nullptr) return false;
  finish_blocking(std::move(operation), look);
  return true;
}

void run_collective(CollectiveFamily& family, const Call& call, const LookAtComplete& look) {
  CallState& calls = family.calls();
  if (calls.settings().learn == 0 || !family.may_learn(call)) {
    finish_blocking(start_collective(family, call, calls.settings()), look);
    return;
  }
  CallTime time;
  finish_blocking(named(call.name,
                        [&] {
                          const std::scoped_lock lock(calls.mutex());
                          return start_in_turn(family, call, time);
                        }),
                  look);
  time.end();
}

void finish_blocking(std::unique_ptr<Operation> operation, const LookAtComplete& look) {
  operation->wait();
  if (look) look(*operation);
  retire(std::move(operation));
}

}  // namespace rondo::internal
