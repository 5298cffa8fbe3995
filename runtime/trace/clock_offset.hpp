/// @file
/// How far the clocks of hosts are apart.
#ifndef RONDO_RUNTIME_TRACE_CLOCK_OFFSET_HPP
#define RONDO_RUNTIME_TRACE_CLOCK_OFFSET_HPP

#include <mpi.h>

#include <cstdint>
#include <functional>

namespace rondo::internal {

/// What must be added to a reading of the clock here for one of the reference, at some time; all in nanoseconds. It is
/// no further off than the uncertainty.
struct ClockOffset {
  std::int64_t here;  ///< when
  std::int64_t offset;
  std::int64_t uncertainty;
};

/// From times of the clock here to those of the reference: clocks drift apart evenly between two measurements.
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

/// A clock, and what names it: processes that name the same one have none to compare.
struct NamedClock {
  std::function<std::int64_t()> nanoseconds;
  std::int64_t name;
};
/// CLOCK_MONOTONIC, by the boot that it counts from.
[[nodiscard]] NamedClock clock_of_host() noexcept;

/// Compares the clocks of all ranks with that of rank `reference`. Collective over `comm`, blocking: two allreduces of
/// a word if all name the same clock, otherwise a few more. Allocates nothing. Throws Error with MPI's class.
[[nodiscard]] ClockOffset compare_clocks(const NamedClock& clock, MPI_Comm comm, int reference);

}  // namespace rondo::internal

#endif
