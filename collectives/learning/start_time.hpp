/// @file
/// StartTime: what a start takes of its user's time.
#ifndef RONDO_COLLECTIVES_LEARNING_START_TIME_HPP
#define RONDO_COLLECTIVES_LEARNING_START_TIME_HPP

#include <atomic>
#include <chrono>
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

/// The part of it that counts.
class StartTime {
 public:
  explicit StartTime(Timed timed = Timed::waits) noexcept : timed_(timed) {}
  void begin() noexcept {
    began_ = Clock::now();
    waited_since_.store(kNotYet, std::memory_order_relaxed);  // relaxed: nobody waits for it yet
  }
  /// It is started.
  void is_begun() noexcept { starting_ = Clock::now() - began_; }
  /// Any thread may begin to wait.
  void is_waited_for() noexcept {
    // relaxed: a time, and nothing else, is told
    if (waited_since_.load(std::memory_order_relaxed) != kNotYet) return;
    Clock::rep not_yet = kNotYet;
    waited_since_.compare_exchange_strong(not_yet, Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// Now that it is over, in ns.
  [[nodiscard]] std::int64_t took() const noexcept {
    const Clock::rep since = waited_since_.load(std::memory_order_relaxed);  // relaxed: as above
    const Clock::time_point now = Clock::now();
    const Clock::duration took = since == kNotYet || timed_ == Timed::all
                                     ? now - began_
                                     : starting_ + (now - Clock::time_point(Clock::duration(since)));
    return std::chrono::nanoseconds(took).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::rep kNotYet = -1;
  Timed timed_;
  Clock::time_point began_;
  std::atomic<Clock::rep> waited_since_ = kNotYet;
  Clock::duration starting_{};
};

}  // namespace rondo::internal::learning

#endif
