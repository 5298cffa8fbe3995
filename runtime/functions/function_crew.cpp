#include "runtime/functions/function_crew.hpp"

#include "runtime/trace/execution_trace.hpp"
#include "runtime/trace/trace.hpp"
#include "runtime/trace/trace_clock.hpp"

#include <oneapi/tbb/task_arena.h>
#include <sched.h>

#include <algorithm>
#include <span>

namespace rondo::internal {
namespace {

/// Time that a worker with nothing to do stays, in nanoseconds: as long as oneTBB takes to wake a worker.
constexpr std::int64_t kLinger = 50'000;

}  // namespace

/// The arena of the application's thread that makes the crew, or a default one if that thread is in none.
struct FunctionCrew::Arena {
  ::tbb::task_arena arena{::tbb::task_arena::attach()};
};

FunctionCrew::FunctionCrew(std::size_t functions, DoneFunctions& done)
    : waiting_(functions),
      done_(done),
      arena_(std::make_unique<Arena>()),
      most_(std::max(1, arena_->arena.max_concurrency() - 1)) {}

FunctionCrew::~FunctionCrew() = default;

/// Adds a function. Either this thread sees that a worker lingers, or that a worker may be called, or a worker that is
/// about to leave sees the function. Both sides first write and then read, sequentially consistent.
void FunctionCrew::push(WorkerFunction& function) noexcept {
  waiting_.push(&function);
  if (lingering_.load(std::memory_order_seq_cst) == 0) call_another();
}

/// Calls another worker, unless most_ workers serve already.
void FunctionCrew::call_another() noexcept {
  int serving = serving_.load(std::memory_order_seq_cst);
  do {
    if (serving >= most_) return;
    // seq_cst: see push()
  } while (!serving_.compare_exchange_weak(serving, serving + 1, std::memory_order_seq_cst));
  try {
    arena_->arena.enqueue([self = shared_from_this()] { self->serve(); });
  } catch (...) {
    serving_.fetch_sub(1, std::memory_order_seq_cst);  // other workers, or the driving thread, run the function
  }
}

void FunctionCrew::serve() noexcept {
  static_cast<void>(serving_.load(std::memory_order_acquire));  // acquire: all writes before the worker was called
  do {
    for (WorkerFunction* next = waiting_.take(); next != nullptr; next = waiting_.take()) {
      do {
        if (wants_another()) call_another();
        next = run(*next, false);
      } while (next != nullptr);
    }
    if (linger()) continue;
    serving_.fetch_sub(1, std::memory_order_seq_cst);  // seq_cst: see push()
    if (waiting_.empty()) return;
    serving_.fetch_add(1, std::memory_order_seq_cst);
  } while (true);
}

/// Waits for a function to be pushed, at most kLinger. Returns whether one came.
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
  static_cast<void>(run(*function, true));
  if (wants_another()) call_another();
  return true;
}

/// Runs a function, unless functions are passed over, and puts it into done_. Returns a follower that this worker must
/// run next, or null. The driving thread gets no follower, because it has other work.
WorkerFunction* FunctionCrew::run(WorkerFunction& function, bool by_driver) noexcept {
  Trace* const trace = function.home->trace == nullptr ? nullptr : function.home->trace->trace();
  if (trace != nullptr) {
    function.begin = trace->now();
    function.thread = this_thread_for_trace();
  }
  function.by_driver = by_driver;
  bool threw = false;
  // acquire: a worker that passes a function over because another function threw reports its own after that one
  if (!passes_over_.load(std::memory_order_acquire)) {
    try {
      function.call->run(*function.home->bases);
    } catch (...) {
      function.thrown = std::current_exception();
      threw = true;
    }
  }
  if (trace != nullptr) function.end = trace->now();

  // The function goes to done_ before its followers can. If nothing follows, the operation may be over and gone then.
  const std::span<WorkerFunction* const> followers(function.followers, function.follower_count);
  done_.push(function);
  // If nothing follows, a new start may have begun. release: see the acquire of passes_over_ above
  if (threw && !followers.empty()) passes_over_.store(true, std::memory_order_release);
  WorkerFunction* next = nullptr;
  for (WorkerFunction* const follower : followers) {
    if (!follower->is_ready()) continue;
    if (!by_driver && next == nullptr && waiting_.empty())
      next = follower;
    else
      waiting_.push(follower);  // this thread takes it later, or calls another worker
  }
  return next;
}

}  // namespace rondo::internal
