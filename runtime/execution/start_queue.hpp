/// @file
/// StartQueue: a queue of executions on their way to the thread that drives MPI.
#ifndef RONDO_RUNTIME_EXECUTION_START_QUEUE_HPP
#define RONDO_RUNTIME_EXECUTION_START_QUEUE_HPP

#include "runtime/execution/execution.hpp"

#include <atomic>
#include <utility>

namespace rondo::internal {

/// A lock-free queue of executions. Any number of threads push; the holder of the progress token takes all at once, so
/// that nothing is ever popped from under another thread. Allocates no memory: the links are in the executions.
class StartQueue {
 public:
  void push(Execution& execution) noexcept {
    Execution* last = last_.load(std::memory_order_relaxed);  // relaxed: the exchange that follows decides
    do {
      execution.queued_before = last;
      // seq_cst: the push comes before its thread's attempt to take the token, see Engine::start().
    } while (!last_.compare_exchange_weak(last, &execution, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  [[nodiscard]] bool empty() const noexcept { return last_.load(std::memory_order_seq_cst) == nullptr; }

  /// Empties the queue and calls visit(execution) for all executions that were in it, in the order in which they came.
  template <typename Visit>
  void take_all(Visit visit) {
    // acquire: an execution is seen as its thread left it.
    Execution* next = reversed(last_.exchange(nullptr, std::memory_order_acquire));
    while (next != nullptr) visit(*std::exchange(next, next->queued_before));
  }

 private:
  [[nodiscard]] static Execution* reversed(Execution* last) noexcept {
    Execution* first = nullptr;
    while (last != nullptr) {
      Execution* const before = std::exchange(last->queued_before, first);
      first = std::exchange(last, before);
    }
    return first;
  }

  std::atomic<Execution*> last_ = nullptr;
};

}  // namespace rondo::internal

#endif
