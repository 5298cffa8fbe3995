#include "runtime/functions/function_crew.hpp"

#include "runtime/trace/trace.hpp"
#include "runtime/trace/trace_clock.hpp"

#include <oneapi/tbb/task_arena.h>
#include <sched.h>

#include <algorithm>

namespace rondo::internal {
namespace {

/// How long a worker with nothing to do stays, in nanoseconds: as long as oneTBB takes to wake one.
constexpr std::int64_t kLinger = 50'000;

}  // namespace

/// That of the application's thread which makes the crew, or one like any other where it is in none.
struct FunctionCrew::Arena {
  ::tbb::task_arena arena{::tbb::task_arena::attach()};
};

FunctionCrew::FunctionCrew(std::size_t functions, DoneFunctions& done)
    : waiting_(functions),
      done_(done),
      arena_(std::make_unique<Arena>()),
      most_(std::max(1, arena_->arena.max_concurrency() - 1)) {}

FunctionCrew::~FunctionCrew() = default;

/// Either this thread sees that a worker lingers, or that may be called, or a worker that is about to leave sees the
/// function: both first tell and then look, sequentially consistent.
void FunctionCrew::push(WorkerFunction& function) noexcept {
  waiting_.push(function);
  if (lingering_.load(std::memory_order_seq_cst) == 0) call_another();
}

/// If there may be one more.
void FunctionCrew::call_another() noexcept {
  int serving = serving_.load(std::memory_order_seq_cst);
  do {
    if (serving >= most_) return;
    // seq_cst: see push()
  } while (!serving_.compare_exchange_weak(serving, serving + 1, std::memory_order_seq_cst));
  try {
    arena_->arena.enqueue([self = shared_from_this()] { self->serve(); });
  } catch (...) {
    serving_.fetch_sub(1, std::memory_order_seq_cst);  // there are others, or the driving thread does it in the end
  }
}

void FunctionCrew::serve() noexcept {
  static_cast<void>(serving_.load(std::memory_order_acquire));  // acquire: all that was there when it was called
  do {
    while (WorkerFunction* function = waiting_.take()) {
      if (!waiting_.empty() && lingering_.load(std::memory_order_relaxed) == 0) call_another();  // relaxed: a hint
      run(*function);
    }
    if (linger()) continue;
    serving_.fetch_sub(1, std::memory_order_seq_cst);  // seq_cst: see push()
    if (waiting_.empty()) return;
    serving_.fetch_add(1, std::memory_order_seq_cst);
  } while (true);
}

/// Whether something came.
bool FunctionCrew::linger() noexcept {
  lingering_.fetch_add(1, std::memory_order_seq_cst);
  bool came = false;
  const std::int64_t until = monotonic_nanoseconds() + kLinger;
  do {
    for (int i = 0; i < 64 && !came; ++i) came = !waiting_.empty();
    if (!came) sched_yield();
  } while (!came && monotonic_nanoseconds() < until);
  lingering_.fetch_sub(1, std::memory_order_seq_cst);  // seq_cst: see push()
  return came || !waiting_.empty();
}

bool FunctionCrew::run_one() noexcept {
  WorkerFunction* const function = waiting_.take();
  if (function == nullptr) return false;
  function->by_driver = true;
  run(*function);
  return true;
}

void FunctionCrew::run(WorkerFunction& function) noexcept {
  const bool traced = function.trace != nullptr;
  if (traced) function.begin = function.trace->now();
  function.thread = traced ? this_thread_for_trace() : 0;
  // relaxed: a function that has not heard of a failure runs as one that began before it.
  if (!passes_over_.load(std::memory_order_relaxed)) {
    try {
      function.call->run(*function.bases);
    } catch (...) {
      function.thrown = std::current_exception();
    }
  }
  if (traced) function.end = function.trace->now();
  done_.push(function);
}

}  // namespace rondo::internal
