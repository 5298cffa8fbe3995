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
  waiting_.push(&function);
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
  static_cast<void>(run(*function, true));
  if (wants_another()) call_another();
  return true;
}

/// Returns a follower that this worker has to run next; null: none. The driving thread has other things to do.
WorkerFunction* FunctionCrew::run(WorkerFunction& function, bool by_driver) noexcept {
  Trace* const trace = function.home->trace == nullptr ? nullptr : function.home->trace->trace();
  if (trace != nullptr) {
    function.begin = trace->now();
    function.thread = this_thread_for_trace();
  }
  function.by_driver = by_driver;
  bool threw = false;
  // acquire: who passes one over because of what another worker's function threw tells of it after that.
  if (!passes_over_.load(std::memory_order_acquire)) {
    try {
      function.call->run(*function.home->bases);
    } catch (...) {
      function.thrown = std::current_exception();
      threw = true;
    }
  }
  if (trace != nullptr) function.end = trace->now();

  // The news goes first: of a follower it comes later. If nothing follows, the operation may be over and gone then.
  const std::span<WorkerFunction* const> followers(function.followers, function.follower_count);
  done_.push(function);
  // Where nothing follows it, a new start may have begun. release: see above
  if (threw && !followers.empty()) passes_over_.store(true, std::memory_order_release);
  WorkerFunction* next = nullptr;
  for (WorkerFunction* const follower : followers) {
    if (!follower->is_ready()) continue;
    if (!by_driver && next == nullptr && waiting_.empty())
      next = follower;
    else
      waiting_.push(follower);  // by a thread that comes back for it or calls another
  }
  return next;
}

}  // namespace rondo::internal
