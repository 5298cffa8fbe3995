#include "collectives/calls/blocking_call.hpp"

#include "collectives/binding/make_operation.hpp"
#include "collectives/calls/cached_calls.hpp"
#include "collectives/calls/call_to_operation.hpp"
#include "collectives/calls/calls_in_turn.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace rondo::internal {
namespace {

/// A call that was lately made with equal arguments, where calls learn; null where there is no idle operation for it.
std::unique_ptr<Operation> start_turn_again(CallState& calls, const Call& call) {
  return named(call.name, [&]() -> std::unique_ptr<Operation> {
    const std::scoped_lock lock(calls.mutex());
    RecentPools* const known = calls.recent().find(call);
    if (known == nullptr) return nullptr;
    if (known->turns != nullptr) return start_in_turn_again(calls, call, *known);
    return start_idle_of(known->pool, calls, buffers_of(call), known->tags);
  });
}

}  // namespace

[[gnu::hot]] bool run_again(CallState& calls, const Call& call, const LookAtComplete& look) {
  const bool learns = calls.settings().learn != 0;
  std::unique_ptr<Operation> operation = learns ? start_turn_again(calls, call) : start_again(calls, call);
  if (operation == nullptr) return false;
  finish_blocking(std::move(operation), look);
  return true;
}

void run_collective(CollectiveFamily& family, const Call& call, const LookAtComplete& look) {
  const Settings& settings = family.calls().settings();
  if (!takes_turns(family, call, settings)) {
    finish_blocking(start_collective(family, call, settings), look);
    return;
  }
  const auto start = [&](Learning& waits_for) {
    return start_in_turn(family, call, learning::FormOfCall::blocking, waits_for);
  };
  finish_blocking(start_when_plan_is_known(call.name, family.calls(), start), look);
}

void finish_blocking(std::unique_ptr<Operation> operation, const LookAtComplete& look) {
  operation->wait();
  if (look) look(*operation);
  retire(std::move(operation));
}

}  // namespace rondo::internal
