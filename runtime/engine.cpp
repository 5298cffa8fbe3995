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

std::size_t Engine::progress() {
  if (!token_.try_take()) return 0;
  const std::span<const Completion> completions = transport_.poll();
  for (const Completion& completion : completions) completion.execution->complete(completion.task, completion.code);
  token_.give();
  return completions.size();
}

bool Engine::test(const Execution& execution) {
  if (!execution.active()) return true;
  progress();
  return !execution.active();
}

void Engine::idle(unsigned idle_passes) const noexcept {
  if (idle_passes > spin_limit_) sched_yield();
}

void Engine::wait(const Execution& execution) {
  for (unsigned idle_passes = 0; execution.active();) {
    if (progress() != 0) {
      idle_passes = 0;
    } else {
      idle(++idle_passes);
    }
  }
}

}  // namespace rondo
