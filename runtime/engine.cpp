#include "runtime/engine.hpp"

#include "runtime/mpi_transport.hpp"

#include <sched.h>

namespace rondo {

void ProgressToken::take() noexcept {
  while (!try_take()) sched_yield();
}

Engine& Engine::process() {
  // Never destroyed: MPI_Finalize may run in an exit handler, after the destructors of statics.
  static Engine& engine = *new Engine(*new MpiTransport);
  return engine;
}

void Engine::start(Execution& execution) {
  const TokenGuard guard(token_);
  execution.start();
}

/// One pass. When all that is in flight are the last messages of the execution that the caller waits for, MPI may as
/// well wait for them itself: it looks at each once, not once a pass, and nothing is left to release.
std::size_t Engine::advance(Execution* awaited) {
  if (!token_.try_take()) return 0;
  const std::size_t in_flight = transport_.in_flight();
  std::size_t completed = in_flight;
  if (awaited != nullptr && waiting_.may_block && awaited->only_waits_for(in_flight) && transport_.wait_all()) {
    awaited->complete_rest();
  } else {
    const std::span<const Completion> completions = transport_.poll();
    for (const Completion& completion : completions) completion.execution->complete(completion.task, completion.code);
    completed = completions.size();
  }
  token_.give();
  return completed;
}

bool Engine::test(const Execution& execution) {
  if (!execution.active()) return true;
  progress();
  return !execution.active();
}

void Engine::idle(unsigned idle_passes) const noexcept {
  if (waiting_.yields && idle_passes > waiting_.spin_limit) sched_yield();
}

void Engine::wait(Execution& execution) {
  for (unsigned idle_passes = 0; execution.active();) {
    if (advance(&execution) != 0) {
      idle_passes = 0;
    } else {
      idle(++idle_passes);
    }
  }
}

}  // namespace rondo
