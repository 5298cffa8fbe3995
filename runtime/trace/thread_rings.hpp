/// @file
/// ThreadRings: rings of events of threads that must not wait for each other.
#ifndef RONDO_RUNTIME_TRACE_THREAD_RINGS_HPP
#define RONDO_RUNTIME_TRACE_THREAD_RINGS_HPP

#include "runtime/trace/trace_event.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace rondo::internal {

/// The rings of the threads that add events, one for each, made when the thread adds its first event. A thread's ring
/// is found by the thread's number, without a lock: two atomic instructions would cost more than all the rest.
class ThreadRings {
 public:
  /// Maximum number of threads that have a ring. Events of further threads are only counted.
  static constexpr std::size_t kMostThreads = 64;

  /// Makes an object without rings. `capacity`: number of events in each ring, a power of two.
  explicit ThreadRings(std::size_t capacity) noexcept : capacity_(capacity) {}

  /// Adds an event to the ring of its thread, or only counts it if the thread has no ring. Thread-safe.
  void add(const TraceEvent& event) noexcept {
    Slot& first = slots_[event.thread % kMostThreads];
    // acquire: the ring was made before its owner was stored. Only the owner itself relies on that.
    Slot* mine = first.owner.load(std::memory_order_acquire) == event.thread ? &first : find(event.thread);
    if (mine != nullptr) [[likely]]
      mine->ring->add(event);
    else
      refused_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a mere count
  }

  /// Calls visit(ring) for each ring. Threads may go on adding events.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.owner.load(std::memory_order_acquire) != kNobody) visit(*slot.ring);
    }
  }
  /// Returns the number of events that were not added because their threads have no ring.
  [[nodiscard]] std::size_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kNobody = 0;  // no thread lies in the first page
  struct Slot {
    std::atomic<std::uint32_t> owner = kNobody;
    std::unique_ptr<TraceRing> ring;
  };
  /// Returns the slot of a thread, made if necessary, or null if no slot or memory is left.
  [[nodiscard]] Slot* find(std::uint32_t thread) noexcept;

  std::size_t capacity_;
  std::array<Slot, kMostThreads> slots_;
  std::mutex making_;
  std::atomic<std::size_t> refused_ = 0;
};

}  // namespace rondo::internal

#endif
