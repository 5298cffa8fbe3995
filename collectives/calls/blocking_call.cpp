#include "collectives/calls/blocking_call.hpp"

#include "collectives/calls/call_to_operation.hpp"
#include "collectives/calls/calls_in_turn.hpp"

#include <memory>
#include <utility>

namespace rondo::internal {

namespace {

void finish(std::unique_ptr<Operation> operation, MpisTurn& mpis, const ForCall& with) {
  if (mpis.has_begun())
    mpis.run(with.mpis);
  else
    finish_blocking(std::move(operation), with.look);
}

}  // namespace

[[gnu::hot]] bool run_again(CallState& calls, const Call& call, const ForCall& with) {
  MpisTurn mpis;
  std::unique_ptr<Operation> operation = start_again(calls, call, &mpis);
  if (operation == nullptr && !mpis.has_begun()) return false;
  finish(std::move(operation), mpis, with);
  return true;
}

void run_collective(CollectiveFamily& family, const Call& call, const ForCall& with) {
  const Settings& settings = family.calls().settings();
  if (!takes_turns(family, call, settings)) {
    finish_blocking(start_collective(family, call, settings), with.look);
    return;
  }
  MpisTurn mpis;
  const auto start = [&](Learning& waits_for) {
    return start_in_turn(family, call, learning::FormOfCall::blocking, waits_for, with.mpis ? &mpis : nullptr);
  };
  finish(start_when_plan_is_known(call.name, family.calls(), start), mpis, with);
}

void finish_blocking(std::unique_ptr<Operation> operation, const LookAtComplete& look) {
  operation->wait();
  if (look) look(*operation);
  retire(std::move(operation));
}

}  // namespace rondo::internal
