#include "collectives/calls/late_call.hpp"

#include "collectives/comm_state/agreement.hpp"

#include <utility>

namespace rondo::internal {

IdleOperation idle_or_new(const char* name, CallState& calls, const CachedSchedule& entry, ProgressMode progress) {
  std::unique_ptr<Operation> operation = entry.pool->take();
  if (operation == nullptr) operation = make_nonblocking(name, entry.chosen, entry.blocks, calls, progress);
  return {std::move(operation), entry.pool};
}

void explain_in_turn(Operation& operation, const std::shared_ptr<const Chosen>& compared,
                     const std::shared_ptr<learning::LearningCalls>& learning) noexcept {
  static_cast<void>(trouble_in([&] {
    operation.explain = [compared, learning, of = &operation] {
      return explain(*compared) + ways_of(*of) + learning->told();
    };
  }));
}

std::unique_ptr<Operation> start_late(CallState& calls, const CallWithoutPlan& call, learning::LearningCalls& learning,
                                      std::unique_ptr<TimedCall> timed, const IdleOf& idle_of) {
  const auto nothing = std::make_shared<const Chosen>(
      Chosen{std::make_shared<const Schedule>(ScheduleBuilder().build()), "to be chosen", {}, {}});
  std::unique_ptr<Operation> operation =
      make_operation(call.name, nothing, call.blocks, {calls.tags().comm(), 0}, call.progress, false);
  auto late = std::make_shared<learning::LateCall>();
  learning::LateCalls queued{late};
  const int first_tag = calls.tags().next_nonblocking(call.tags);
  for (std::size_t plan = 0; plan < learning.plans(); ++plan) {
    auto [candidate, pool] = idle_of(plan);
    candidate->execution().bind(call.buffers.send, call.buffers.recv);
    candidate->execution().set_first_tag(first_tag);
    timed->add(std::move(candidate), std::move(pool));
  }
  operation->start_after(
      [on = calls.on(), timed = timed.get(), late, started = operation.get()] {
        if (!on->own()->made() && !on->own()->advance_duplicate()) return false;
        Operation* const its = timed->operation_of(*late);
        if (its == nullptr) return false;
        started->begin_with(*its);
        return true;
      },
      FirstPass::later);
  // Nothing below can fail.
  learning.begun_late(queued);
  calls.tags().take_nonblocking(first_tag, call.tags);
  calls.count_call();
  TimedCall::go_with(std::move(timed), *operation);
  return operation;
}

}  // namespace rondo::internal
