/// @file
/// Events of threads that must not wait for each other.
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

/// A ring for each thread that adds events, made when it adds its first. Found again by the thread's number, without a
/// lock: two atomic instructions would cost more than all the rest.
class ThreadRings {
 public:
  /// Threads that come later add nothing.
  static constexpr std::size_t kMostThreads = 64;

  /// `capacity`: events in each, a power of two.
  explicit ThreadRings(std::size_t capacity) noexcept : capacity_(capacity) {}

  /// Any thread.
  void add(const TraceEvent& event) noexcept {
    Slot& first = slots_[event.thread % kMostThreads];
    // acquire: the ring before its owner. Its owner alone relies on that.
    Slot* mine = first.owner.load(std::memory_order_acquire) == event.thread ? &first : find(event.thread);
    if (mine != nullptr) [[likely]]
      mine->ring->add(event);
    else
      refused_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
  }

  /// Calls visit(ring) for each. Threads may go on adding events.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.owner.load(std::memory_order_acquire) != kNobody) visit(*slot.ring);
    }
  }
  /// How many events came from threads that have no ring.
  [[nodiscard]] std::size_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kNobody = 0;  // no thread lies in the first page
  struct Slot {
    std::atomic<std::uint32_t> owner = kNobody;
    std::unique_ptr<TraceRing> ring;
  };
  /// Null when there is no room.
  [[nodiscard]] Slot* find(std::uint32_t thread) noexcept;

  std::size_t capacity_;
  std::array<Slot, kMostThreads> slots_;
  std::mutex making_;
  std::atomic<std::size_t> refused_ = 0;
};

}  // namespace rondo::internal

#endif
