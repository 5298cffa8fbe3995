/// @file
/// WorkerFunction and DoneFunctions: functions on their way to oneTBB's workers and back.
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

/// Data that the functions of one execution have in common.
struct FunctionHome {
  Execution* execution = nullptr;
  const std::array<std::byte*, kSpaces>* bases = nullptr;
  const ExecutionTrace* trace = nullptr;
};

/// A compute task for a worker, in memory that is allocated once. It belongs to the thread that runs it, and to the
/// token's holder once it is in DoneFunctions.
struct alignas(64) WorkerFunction {
  const FunctionHome* home = nullptr;
  const ComputeCall* call = nullptr;
  /// Functions that wait for this one, and for nothing but workers' functions.
  WorkerFunction* const* followers = nullptr;
  std::uint32_t follower_count = 0;
  std::uint32_t awaited = 0;               ///< how many functions a follower waits for; 0: the token's holder pushes it
  std::atomic<std::uint32_t> pending = 0;  ///< how many of the awaited functions have not run
  TaskId task = kNoTask;
  WorkerFunction* next = nullptr;  ///< link in DoneFunctions
  std::exception_ptr thrown{};
  bool by_driver = false;  ///< the driving thread has run it
  // (the second cache line, used if there is a trace)
  alignas(64) std::uint64_t begin = 0;  ///< when it ran, in ticks
  std::uint64_t end = 0;
  std::uint32_t thread = 0;  ///< the thread that ran it

  /// Counts, for a follower, that one of the functions that it waits for has run. Returns whether all have.
  [[nodiscard]] bool is_ready() noexcept {
    // acq_rel: everything that the awaited functions wrote comes before whoever counts last runs this one
    if (awaited != 1 && pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // relaxed: for the next start, which comes after this function has run
    pending.store(awaited, std::memory_order_relaxed);
    return true;
  }
};
static_assert(sizeof(WorkerFunction) == 128, "what is needed without a trace must fit a cache line");

/// A lock-free list of functions that workers have run. Any number of workers push functions. The holder of the
/// progress token takes all functions at once, so no function is removed while another thread looks at it.
class DoneFunctions {
 public:
  void push(WorkerFunction& function) noexcept {
    WorkerFunction* last = last_.load(std::memory_order_relaxed);  // relaxed: the exchange that follows decides
    do {
      function.next = last;
      // release: the data that the function wrote, and how it ended, before the news of it
    } while (!last_.compare_exchange_weak(last, &function, std::memory_order_release, std::memory_order_relaxed));
  }
  /// Returns whether the list is empty. A hint: a function that is pushed just now is seen in the next pass.
  [[nodiscard]] bool empty() const noexcept { return last_.load(std::memory_order_relaxed) == nullptr; }
  /// Empties the list and calls visit(function) for each function that it had, in the order in which they came: a
  /// follower after all that it awaited.
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
      first = function.next;  // before the function may be pushed again
      visit(function);
    }
  }

 private:
  alignas(64) std::atomic<WorkerFunction*> last_ = nullptr;
};

/// A queue of the functions of one execution that wait for a worker. Each comes once in a start.
using WaitingFunctions = WaitingRing<WorkerFunction*>;

}  // namespace rondo::internal

#endif
