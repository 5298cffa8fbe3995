/// @file
/// The clock of a trace: read in a few nanoseconds, understood later.
#ifndef RONDO_RUNTIME_TRACE_TRACE_CLOCK_HPP
#define RONDO_RUNTIME_TRACE_TRACE_CLOCK_HPP

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <cstdint>

namespace rondo::internal {

/// Nanoseconds of CLOCK_MONOTONIC, which is one clock for all processes of a host.
[[nodiscard]] std::int64_t monotonic_nanoseconds() noexcept;

/// Whether the processor has a counter that runs evenly, whatever the cores do, and alike on all of them.
[[nodiscard]] bool has_steady_counter() noexcept;

/// Counts of that counter or, where there is none, nanoseconds of CLOCK_MONOTONIC, which take longer to read.
class TraceClock {
 public:
  TraceClock() noexcept : counter_(has_steady_counter()) {}
  [[nodiscard]] std::uint64_t ticks() const noexcept {
#if defined(__x86_64__)
    if (counter_) [[likely]]
      return __rdtsc();  // may run a few instructions early or late, which is less than what it costs to prevent it
#endif
    return static_cast<std::uint64_t>(monotonic_nanoseconds());
  }

  /// Both clocks at one moment, as nearly as can be told.
  struct Reading {
    std::uint64_t ticks;
    std::int64_t nanoseconds;
  };
  [[nodiscard]] Reading read() const noexcept;

 private:
  bool counter_;
};

/// How long a tick lasts, in nanoseconds. Measured once in a process, which takes 50 microseconds then.
[[nodiscard]] double nanoseconds_of_tick() noexcept;

/// From ticks to nanoseconds of CLOCK_MONOTONIC, along the line through two readings.
class TraceTime {
 public:
  TraceTime(const TraceClock::Reading& first, const TraceClock::Reading& last) noexcept;
  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t ticks) const noexcept {
    return first_.nanoseconds +
           static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks - first_.ticks)) * a_tick_);
  }

 private:
  TraceClock::Reading first_;
  double a_tick_;  ///< in nanoseconds
};

}  // namespace rondo::internal

#endif
