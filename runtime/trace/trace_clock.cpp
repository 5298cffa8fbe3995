#include "runtime/trace/trace_clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <ctime>
#include <limits>

namespace rondo::internal {

std::int64_t monotonic_nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

namespace {

/// Returns whether there is a steady counter. Virtual machines take a microsecond or more for this instruction.
bool ask_for_steady_counter() noexcept {
#if defined(__x86_64__)
  constexpr unsigned kPowerManagement = 0x80000007;
  constexpr unsigned kInvariantCounter = 1U << 8U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 && (d & kInvariantCounter) != 0;
#else
  return false;
#endif
}

double measure_tick() noexcept {
  constexpr std::int64_t kLongEnough = 50'000;  // ns; the readings are wrong by some 20 ns
  const TraceClock clock;
  const TraceClock::Reading first = clock.read();
  TraceClock::Reading last = first;
  while (last.nanoseconds - first.nanoseconds < kLongEnough) last = clock.read();
  return static_cast<double>(last.nanoseconds - first.nanoseconds) / static_cast<double>(last.ticks - first.ticks);
}

}  // namespace

bool has_steady_counter() noexcept {
  static const bool has = ask_for_steady_counter();
  return has;
}

double nanoseconds_of_tick() noexcept {
  static const double length = measure_tick();
  return length;
}

TraceClock::Reading TraceClock::read() const noexcept {
  // The try that was interrupted least counts.
  constexpr int kTries = 16;
  Reading best{};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = ticks();
    const std::int64_t nanoseconds = monotonic_nanoseconds();
    const std::uint64_t took = ticks() - before;
    if (took >= least) continue;
    least = took;
    best = {before + took / 2, nanoseconds};
  }
  return best;
}

TraceTime::TraceTime(const TraceClock::Reading& first, const TraceClock::Reading& last) noexcept
    : first_(first),
      a_tick_(last.ticks == first.ticks ? 1.0
                                        : static_cast<double>(last.nanoseconds - first.nanoseconds) /
                                              static_cast<double>(last.ticks - first.ticks)) {}

}  // namespace rondo::internal
