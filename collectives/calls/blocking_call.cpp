#include "collectives/calls/blocking_call.hpp"

#include "collectives/calls/call_to_operation.hpp"
#include "collectives/calls/calls_in_turn.hpp"

#include <memory>
#include <utility>

namespace rondo::internal {

[[gnu::hot]] bool run_again(CallState& calls, const Call& call, const LookAtComplete& look, MpisTurn* mpis) {
  std::unique_ptr<Operation> operation = start_again(calls, call, calls.settings(), mpis);
  if (operation == nullptr) return mpis != nullptr && mpis->has_begun();
  finish_blocking(std::move(operation), look);
  return true;
}

void run_collective(CollectiveFamily& family, const Call& call, const LookAtComplete& look, MpisTurn* mpis) {
  const Settings& settings = family.calls().settings();
  if (!takes_turns(family, call, settings)) {
    finish_blocking(start_collective(family, call, settings), look);
    return;
  }
  const auto start = [&](Learning& waits_for) {
    return start_in_turn(family, call, learning::FormOfCall::blocking, waits_for, mpis);
  };
  std::unique_ptr<Operation> operation = start_when_plan_is_known(call.name, family.calls(), start);
  if (operation != nullptr) finish_blocking(std::move(operation), look);
}

void finish_blocking(std::unique_ptr<Operation> operation, const LookAtComplete& look) {
  operation->wait();
  if (look) look(*operation);
  retire(std::move(operation));
}

}  // namespace rondo::internal
