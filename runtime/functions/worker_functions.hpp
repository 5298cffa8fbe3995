/// @file
/// Functions on their way to oneTBB's workers and back.
#ifndef RONDO_RUNTIME_FUNCTIONS_WORKER_FUNCTIONS_HPP
#define RONDO_RUNTIME_FUNCTIONS_WORKER_FUNCTIONS_HPP

#include "runtime/functions/waiting_ring.hpp"
#include "runtime/schedule/computation.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace rondo::internal {

class Execution;
class ExecutionTrace;

/// What the functions of one execution have in common.
struct FunctionHome {
  Execution* execution = nullptr;
  const std::array<std::byte*, kSpaces>* bases = nullptr;
  const ExecutionTrace* trace = nullptr;
};

/// A compute task for a worker, in memory that is taken once. Whoever runs it has it, and the token's holder once it is
/// in DoneFunctions.
struct alignas(64) WorkerFunction {
  const FunctionHome* home = nullptr;
  const ComputeCall* call = nullptr;
  WorkerFunction* const* followers = nullptr;  ///< functions that wait for it, and for nothing but workers' functions
  std::uint32_t follower_count = 0;
  std::uint32_t awaited = 0;               ///< by a follower: how many functions; 0: the token's holder pushes it
  std::atomic<std::uint32_t> pending = 0;  ///< how many of them have not run
  TaskId task = kNoTask;
  WorkerFunction* next = nullptr;  ///< in DoneFunctions
  std::exception_ptr thrown{};
  bool by_driver = false;  ///< the driving thread has run it
  // (the second line, where there is a trace)
  alignas(64) std::uint64_t begin = 0;  ///< when it ran: ticks
  std::uint64_t end = 0;
  std::uint32_t thread = 0;  ///< that ran it

  /// For a follower: one of the functions that it waits for has run. Whether all have.
  [[nodiscard]] bool is_ready() noexcept {
    // acq_rel: what all of them wrote, before whoever comes last runs this one.
    if (awaited != 1 && pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // relaxed: for the next start, which comes after this one has run.
    pending.store(awaited, std::memory_order_relaxed);
    return true;
  }
};
static_assert(sizeof(WorkerFunction) == 128, "what is needed without a trace must fit a cache line");

/// Functions that workers have run. Any number of them push, without a lock; the holder of the progress token takes all
/// at once, so that nothing is ever popped from under another thread.
class DoneFunctions {
 public:
  void push(WorkerFunction& function) noexcept {
    WorkerFunction* last = last_.load(std::memory_order_relaxed);  // relaxed: the exchange that follows decides
    do {
      function.next = last;
      // release: what the function wrote, and how it ended, before the news of it.
    } while (!last_.compare_exchange_weak(last, &function, std::memory_order_release, std::memory_order_relaxed));
  }
  /// A hint: what is pushed just now is seen in the next pass.
  [[nodiscard]] bool empty() const noexcept { return last_.load(std::memory_order_relaxed) == nullptr; }
  /// Calls visit(function) for all of them, in the order in which they came: a follower after all that it waited for.
  template <typename Visit>
  void take_all(Visit visit) {
    // acquire: see push()
    WorkerFunction* last = last_.exchange(nullptr, std::memory_order_acquire);
    WorkerFunction* first = nullptr;
    while (last != nullptr) {
      WorkerFunction* const before = std::exchange(last->next, first);
      first = std::exchange(last, before);
    }
    while (first != nullptr) {
      WorkerFunction& function = *first;
      first = function.next;  // before it may be pushed again
      visit(function);
    }
  }

 private:
  alignas(64) std::atomic<WorkerFunction*> last_ = nullptr;
};

/// The functions of one execution that wait for a worker: each comes once in a start.
using WaitingFunctions = WaitingRing<WorkerFunction*>;

}  // namespace rondo::internal

#endif
