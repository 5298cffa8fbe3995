#include "runtime/engine.hpp"

#include "runtime/mpi_transport.hpp"

#include <sched.h>

namespace rondo {
namespace {

/// Idle passes before a yield where every rank has a core of its own: a few microseconds.
constexpr unsigned kSpins = 50;

}  // namespace

void ProgressToken::take() noexcept {
  while (!try_take()) sched_yield();
}

Engine& Engine::process() {
  struct OverMpi {
    MpiTransport transport;
    Engine engine{transport};
  };
  // Never destroyed: MPI_Finalize may run in an exit handler, after the destructors of statics.
  static Engine& engine = (new OverMpi)->engine;
  return engine;
}

[[gnu::hot]] void Engine::start(Execution& execution) {
  const TokenGuard guard(token_);
  execution.start();
}

/// One pass. When the execution that the caller waits for has posted all its messages, and no other has any in flight,
/// MPI may as well wait for them itself: it looks at each once, not once a pass.
[[gnu::hot]] std::size_t Engine::advance(Execution* awaited) {
  if (!token_.try_take()) return 0;
  const std::size_t in_flight = transport_.in_flight();
  std::size_t completed = in_flight;
  const bool block = awaited != nullptr && waiting_.may_block && awaited->has_posted_all(in_flight) &&
                     (awaited->only_waits() || waiting_.shared_cores);
  if (block && transport_.wait_all(!awaited->only_waits())) {
    awaited->complete_rest();
  } else {
    const std::span<const Completion> completions = transport_.poll();
    for (const Completion& completion : completions) completion.execution->complete(completion.task, completion.code);
    completed = completions.size();
  }
  token_.give();
  return completed;
}

[[gnu::hot]] bool Engine::test(const Execution& execution) {
  if (!execution.active()) return true;
  progress();
  return !execution.active();
}

void Engine::idle(unsigned idle_passes) const noexcept {
  if (waiting_.yields && idle_passes > (waiting_.shared_cores ? 0U : kSpins)) sched_yield();
}

[[gnu::hot]] void Engine::wait(Execution& execution) {
  for (unsigned idle_passes = 0; execution.active();) {
    if (advance(&execution) != 0) {
      idle_passes = 0;
    } else {
      idle(++idle_passes);
    }
  }
}

}  // namespace rondo
