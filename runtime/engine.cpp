#include "runtime/engine.hpp"

#include "runtime/hang_report.hpp"
#include "runtime/mpi_transport.hpp"
#include "runtime/text_line.hpp"

#include <sched.h>

#include <algorithm>
#include <new>
#include <string>

namespace rondo {
namespace {

/// Idle passes before a yield where every rank has a core of its own: a few microseconds.
constexpr unsigned kSpins = 50;

}  // namespace

void ProgressToken::take() noexcept {
  if (try_take()) return;
  waiting_.fetch_add(1, std::memory_order_relaxed);  // relaxed: see wanted()
  while (!try_take()) sched_yield();
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

Engine& Engine::process() {
  struct OverMpi {
    OverMpi() { engine.observers() = Observers::from_environment(); }
    MpiTransport transport;
    Engine engine{transport};
  };
  // Never destroyed: MPI_Finalize may run in an exit handler, after the destructors of statics.
  static Engine& engine = (new OverMpi)->engine;
  return engine;
}

[[gnu::hot]] void Engine::start(Execution& execution) {
  const TokenGuard guard(token_);
  in_vain_ = {};
  execution.start();
}

void Engine::look_after(Preparation& preparation) {
  const TokenGuard guard(token_);
  preparations_.push_back(&preparation);
}

/// Returns how many are over.
std::size_t Engine::advance_preparations() {
  return std::erase_if(preparations_, [](Preparation* preparation) { return preparation->advance(); });
}

void Engine::report_from_signal(const char* why) noexcept {
  const bool taken = token_.try_take();
  if (taken || transport_.at_rest())
    write_hang_report(transport_, waiting_.rank, why, activity_.load(std::memory_order_relaxed));
  else
    report_wanted_.store(why, std::memory_order_relaxed);  // relaxed: nothing else is published with it
  if (taken) token_.give();
}

/// What a signal could not write when it came. By the holder of the token.
void Engine::report_if_wanted() {
  const char* why = report_wanted_.load(std::memory_order_relaxed);  // relaxed: see report_from_signal()
  if (why == nullptr) [[likely]]
    return;
  report_wanted_.store(nullptr, std::memory_order_relaxed);
  write_hang_report(transport_, waiting_.rank, why, activity_.load(std::memory_order_relaxed));
}

/// After a pass, by the holder of the token. A pause between two passes is the application's and counts little.
void Engine::look_for_hang(bool moved) {
  const std::chrono::duration<double> timeout(waiting_.timeout_seconds);
  const auto longest_pause = std::chrono::duration_cast<Clock::duration>(timeout / 8);
  const auto now = Clock::now();
  in_vain_ = moved ? Clock::duration{} : in_vain_ + std::min(now - last_pass_, longest_pause);
  last_pass_ = now;
  if (in_vain_ < timeout) return;
  in_vain_ = {};
  try {
    give_up_all();
  } catch (const std::bad_alloc&) {
    // What could not be given up now is after another timeout.
  }
}

void Engine::give_up_all() {
  TextLine why;
  why << "no message moved for " << static_cast<std::int64_t>(waiting_.timeout_seconds * 1000) << " ms (RONDO_TIMEOUT)";
  const std::string reason(why.view());
  write_hang_report(transport_, waiting_.rank, reason.c_str(), activity_.load(std::memory_order_relaxed));
  for (std::size_t place = 0; place < transport_.in_flight();) {
    // Giving one up may shorten the list.
    Execution* execution = transport_.in_flight_at(place).execution;
    if (execution == nullptr)
      ++place;
    else
      execution->abandon(MPI_ERR_OTHER, reason + ": " + describe_waiting(transport_, *execution));
  }
}

/// One pass. When the execution that the caller waits for has posted all its messages, and no other has any in flight,
/// MPI may as well wait for them itself: it looks at each once, not once a pass.
[[gnu::hot]] std::size_t Engine::advance(Execution* awaited) {
  if (token_.wanted()) [[unlikely]] {
    sched_yield();
    return 0;
  }
  if (!token_.try_take()) return 0;
  const std::size_t prepared = preparations_.empty() ? 0 : advance_preparations();
  const std::size_t in_flight = transport_.in_flight();
  std::size_t completed = in_flight;
  const bool block = awaited != nullptr && waiting_.may_block && preparations_.empty() &&
                     awaited->has_posted_all(in_flight) && (awaited->only_waits() || waiting_.shared_cores);
  if (block) report_if_wanted();
  if (block && transport_.wait_all(!awaited->only_waits())) {
    awaited->complete_rest();
  } else {
    const std::span<const Completion> completions = transport_.poll();
    for (const Completion& completion : completions) completion.execution->complete(completion.task, completion.code);
    completed = completions.size();
    if (completed == 0) report_if_wanted();
    if (waiting_.timeout_seconds > 0 && in_flight > transport_.abandoned()) [[unlikely]]
      look_for_hang(completed > 0);
  }
  token_.give();
  return completed + prepared;
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

void Engine::wait_while(const std::atomic<bool>& under_way) {
  // acquire: whoever sees the end also sees what it left.
  for (unsigned idle_passes = 0; under_way.load(std::memory_order_acquire);) {
    if (progress() != 0)
      idle_passes = 0;
    else
      idle(++idle_passes);
  }
}

}  // namespace rondo
