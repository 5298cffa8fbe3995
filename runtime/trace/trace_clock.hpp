/// @file
/// TraceClock: the clock of a trace. It is read in a few nanoseconds; its times are converted later.
#ifndef RONDO_RUNTIME_TRACE_TRACE_CLOCK_HPP
#define RONDO_RUNTIME_TRACE_TRACE_CLOCK_HPP

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <cstdint>

namespace rondo::internal {

/// Returns the time of CLOCK_MONOTONIC, which is one clock for all processes of a host, in nanoseconds.
[[nodiscard]] std::int64_t monotonic_nanoseconds() noexcept;

/// Returns whether the processor has a counter that runs evenly, whatever the cores do, and alike on all of them.
[[nodiscard]] bool has_steady_counter() noexcept;

/// A clock whose ticks are counts of the processor's steady counter or, if there is none, nanoseconds of
/// CLOCK_MONOTONIC, which take longer to read.
class TraceClock {
 public:
  TraceClock() noexcept : counter_(has_steady_counter()) {}
  [[nodiscard]] std::uint64_t ticks() const noexcept {
#if defined(__x86_64__)
    if (counter_) [[likely]]
      return __rdtsc();  // may run a few instructions early or late; preventing that costs more than it gains
#endif
    return static_cast<std::uint64_t>(monotonic_nanoseconds());
  }

  /// Readings of the ticks and of CLOCK_MONOTONIC at one moment, as nearly as possible.
  struct Reading {
    std::uint64_t ticks;
    std::int64_t nanoseconds;
  };
  [[nodiscard]] Reading read() const noexcept;

 private:
  bool counter_;
};

/// Returns the nanoseconds of a TraceClock's tick. The first call in a process takes 50 microseconds to measure it.
[[nodiscard]] double nanoseconds_of_tick() noexcept;

/// A conversion from ticks to nanoseconds of CLOCK_MONOTONIC, along the line through two readings.
class TraceTime {
 public:
  TraceTime(const TraceClock::Reading& first, const TraceClock::Reading& last) noexcept;
  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t ticks) const noexcept {
    return first_.nanoseconds +
           static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks - first_.ticks)) * a_tick_);
  }

 private:
  TraceClock::Reading first_;
  double a_tick_;  ///< length of a tick in nanoseconds
};

}  // namespace rondo::internal

#endif
