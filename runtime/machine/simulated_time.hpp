/// @file
/// SimulatedTime: the unit of the simulated network's clocks.
#ifndef RONDO_RUNTIME_MACHINE_SIMULATED_TIME_HPP
#define RONDO_RUNTIME_MACHINE_SIMULATED_TIME_HPP

#include <cstdint>

namespace rondo::internal::machine {

/// A time in picoseconds. Whole numbers make sums independent of their order, and a byte at 100 Gbit/s (80 ps) exact.
using SimulatedTime = std::int64_t;

[[nodiscard]] constexpr SimulatedTime from_nanoseconds(double nanoseconds) noexcept {
  return static_cast<SimulatedTime>(nanoseconds * 1000.0 + 0.5);
}
[[nodiscard]] constexpr double to_nanoseconds(SimulatedTime time) noexcept {
  return static_cast<double>(time) / 1000.0;
}

}  // namespace rondo::internal::machine

#endif
