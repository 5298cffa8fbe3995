/// @file
/// Functions on their way to oneTBB's workers and back.
#ifndef RONDO_RUNTIME_FUNCTIONS_WORKER_FUNCTIONS_HPP
#define RONDO_RUNTIME_FUNCTIONS_WORKER_FUNCTIONS_HPP

#include "runtime/schedule/computation.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {

class Execution;
class Trace;

/// A compute task for a worker, in memory that is taken once.
struct WorkerFunction {
  Execution* execution = nullptr;
  const ComputeCall* call = nullptr;
  const std::array<std::byte*, kSpaces>* bases = nullptr;
  TaskId task = kNoTask;
  bool given = false;        ///< to workers, and not back; by the token's holder
  std::uint32_t thread = 0;  ///< that ran it, where there is a trace
  Trace* trace = nullptr;
  std::uint64_t begin = 0;  ///< when it ran: ticks, where there is a trace
  std::uint64_t end = 0;
  bool by_driver = false;  ///< the driving thread has run it
  std::exception_ptr thrown{};
  WorkerFunction* next = nullptr;  ///< in DoneFunctions
};

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
  /// Calls visit(function) for all of them.
  template <typename Visit>
  void take_all(Visit visit) {
    // acquire: see push()
    for (WorkerFunction* next = last_.exchange(nullptr, std::memory_order_acquire); next != nullptr;) {
      WorkerFunction& function = *next;
      next = function.next;  // before it may be pushed again
      visit(function);
    }
  }

 private:
  alignas(64) std::atomic<WorkerFunction*> last_ = nullptr;
};

/// The functions of one execution that wait for a worker. The token's holder pushes, any thread runs. Positions only
/// grow, so that a thread which was asleep for long cannot take one for another; each function is in it once, so that
/// a ring of as many as there are never overflows.
class WaitingFunctions {
 public:
  explicit WaitingFunctions(std::size_t functions) : ring_(functions) {}

  void push(WorkerFunction& function) noexcept {
    const std::uint64_t place = pushed_.load(std::memory_order_relaxed);  // relaxed: the pusher's own
    ring_[place % ring_.size()] = &function;
    // seq_cst: releases the function, and comes before the look at how many threads serve, see FunctionCrew.
    pushed_.store(place + 1, std::memory_order_seq_cst);
  }
  /// One that nobody else has; null where there is none.
  [[nodiscard]] WorkerFunction* take() noexcept {
    std::uint64_t place = taken_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
    do {
      // seq_cst: acquires the function, and comes after a thread has said that it stops, see FunctionCrew.
      if (place >= pushed_.load(std::memory_order_seq_cst)) return nullptr;
      // relaxed: what is in the ring was acquired with the number pushed, and is not overwritten before it was run
    } while (!taken_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed));
    return ring_[place % ring_.size()];
  }
  /// How many wait, for the pusher.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return pushed_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_relaxed);  // relaxed: a hint
  }
  [[nodiscard]] bool empty() const noexcept {
    // seq_cst: as in take(); relaxed: what was taken meanwhile is another's
    return taken_.load(std::memory_order_relaxed) >= pushed_.load(std::memory_order_seq_cst);
  }

 private:
  std::vector<WorkerFunction*> ring_;
  alignas(64) std::atomic<std::uint64_t> pushed_ = 0;
  alignas(64) std::atomic<std::uint64_t> taken_ = 0;
};

}  // namespace rondo::internal

#endif
