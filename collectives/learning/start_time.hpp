/// @file
/// StartTime: the time that a start takes from its user.
#ifndef RONDO_COLLECTIVES_LEARNING_START_TIME_HPP
#define RONDO_COLLECTIVES_LEARNING_START_TIME_HPP

#include "runtime/trace/trace_clock.hpp"

#include <atomic>
#include <cstdint>

namespace rondo::internal::learning {

/// The part of the time from the beginning of a start to the end of the wait that counts.
enum class Timed : std::uint8_t {
  /// The time in which the user can do nothing else: while the operation is started, and from the beginning of the wait
  /// on.
  waits,
  /// The whole time, from the beginning of a start to the end of the wait. For comparisons with progress in the
  /// background, because a thread that makes it takes time from the user's computation.
  all
};

/// The time of one start that counts. A start may take less time than four readings of the system's clock.
class StartTime {
 public:
  explicit StartTime(Timed timed = Timed::waits) noexcept : timed_(timed) {}
  void begin() noexcept {
    began_ = clock_.ticks();
    waited_since_.store(kNotYet, std::memory_order_relaxed);  // relaxed: nobody waits for the start yet
  }
  /// Records that the operation is started.
  void is_begun() noexcept { starting_ = clock_.ticks() - began_; }
  /// Records the beginning of the wait, the first time that it is called. Thread-safe.
  void is_waited_for() noexcept {
    // relaxed: only the time itself is passed on
    if (waited_since_.load(std::memory_order_relaxed) != kNotYet) return;
    std::uint64_t not_yet = kNotYet;
    waited_since_.compare_exchange_strong(not_yet, clock_.ticks(), std::memory_order_relaxed);
  }
  /// Returns the time that counts, in ns. Call when the operation is complete.
  [[nodiscard]] std::int64_t took() const noexcept {
    const std::uint64_t since = waited_since_.load(std::memory_order_relaxed);  // relaxed: only the time is passed on
    const std::uint64_t now = clock_.ticks();
    const std::uint64_t took = since == kNotYet || timed_ == Timed::all ? now - began_ : starting_ + (now - since);
    // The difference is signed, because counters of cores may differ by a few ticks.
    return static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(took)) * tick_);
  }

 private:
  static constexpr std::uint64_t kNotYet = 0;
  Timed timed_;
  TraceClock clock_;
  double tick_ = nanoseconds_of_tick();
  std::uint64_t began_ = 0;
  std::atomic<std::uint64_t> waited_since_ = kNotYet;
  std::uint64_t starting_ = 0;
};

}  // namespace rondo::internal::learning

#endif
