/// @file
/// StartTime: what a start takes of its user's time.
#ifndef RONDO_COLLECTIVES_LEARNING_START_TIME_HPP
#define RONDO_COLLECTIVES_LEARNING_START_TIME_HPP

#include "runtime/trace/trace_clock.hpp"

#include <atomic>
#include <cstdint>

namespace rondo::internal::learning {

/// Of the time from the beginning of a start to the end of the wait.
enum class Timed : std::uint8_t {
  /// In which the user of an operation can do nothing else: while it is started, and from when he begins to wait for it
  /// on.
  waits,
  /// All of it: a thread that drives in the background takes its time from what is computed meanwhile.
  all
};

/// The part of it that counts. A start may take less than four readings of the system's clock.
class StartTime {
 public:
  explicit StartTime(Timed timed = Timed::waits) noexcept : timed_(timed) {}
  void begin() noexcept {
    began_ = clock_.ticks();
    waited_since_.store(kNotYet, std::memory_order_relaxed);  // relaxed: nobody waits for it yet
  }
  /// It is started.
  void is_begun() noexcept { starting_ = clock_.ticks() - began_; }
  /// Any thread may begin to wait.
  void is_waited_for() noexcept {
    // relaxed: a time, and nothing else, is told
    if (waited_since_.load(std::memory_order_relaxed) != kNotYet) return;
    std::uint64_t not_yet = kNotYet;
    waited_since_.compare_exchange_strong(not_yet, clock_.ticks(), std::memory_order_relaxed);
  }
  /// Now that it is over, in ns.
  [[nodiscard]] std::int64_t took() const noexcept {
    const std::uint64_t since = waited_since_.load(std::memory_order_relaxed);  // relaxed: as above
    const std::uint64_t now = clock_.ticks();
    const std::uint64_t took = since == kNotYet || timed_ == Timed::all ? now - began_ : starting_ + (now - since);
    // Counters of cores may differ by a few ticks.
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
