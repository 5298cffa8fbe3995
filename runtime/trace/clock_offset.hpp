/// @file
/// ClockOffset: the difference between the clock of a process and a reference clock, and its measurement.
#ifndef RONDO_RUNTIME_TRACE_CLOCK_OFFSET_HPP
#define RONDO_RUNTIME_TRACE_CLOCK_OFFSET_HPP

#include <mpi.h>

#include <cstdint>
#include <functional>

namespace rondo::internal {

/// The offset of a process's clock: the number that must be added to its reading to get the reference clock's time, and
/// its error bound, at some time. All in nanoseconds. The offset is wrong by at most the uncertainty.
struct ClockOffset {
  std::int64_t here;  ///< time of the measurement by this process's clock
  std::int64_t offset;
  std::int64_t uncertainty;
};

/// A conversion from times of this process's clock to times of the reference clock. Assumes that the clocks drift apart
/// evenly between two measurements.
class ClockLine {
 public:
  ClockLine() = default;
  ClockLine(const ClockOffset& first, const ClockOffset& last) noexcept : first_(first), last_(last) {}
  [[nodiscard]] std::int64_t at_reference(std::int64_t here) const noexcept;
  [[nodiscard]] std::int64_t uncertainty() const noexcept;

 private:
  ClockOffset first_{};
  ClockOffset last_{};
};

/// A clock and its name. Processes whose clocks have the same name need not compare them.
struct NamedClock {
  std::function<std::int64_t()> nanoseconds;
  std::int64_t name;
};
/// Returns the clock CLOCK_MONOTONIC, named by the boot of the host, from which it counts.
[[nodiscard]] NamedClock clock_of_host() noexcept;

/// Compares the clocks of all ranks with the clock of rank `reference`. Returns the offset of the calling rank's clock.
/// Collective over comm, blocking: two allreduces of a word if all clocks have the same name, otherwise a few more.
/// Allocates nothing. Throws Error with MPI's class.
[[nodiscard]] ClockOffset compare_clocks(const NamedClock& clock, MPI_Comm comm, int reference);

}  // namespace rondo::internal

#endif
