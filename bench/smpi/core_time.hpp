/// @file
/// CoreTime: what a rank copies takes simulated time. SMPI knows of messages only.
#ifndef RONDO_BENCH_SMPI_CORE_TIME_HPP
#define RONDO_BENCH_SMPI_CORE_TIME_HPP

#include "runtime/machine/task_meter.hpp"

#include <optional>

namespace rondo::internal::smpi {

/// Of this rank: each has its own, as SMPI gives each its own copy of the program.
class CoreTime {
 public:
  [[nodiscard]] static CoreTime& of_rank();

  /// From now on the copies of this execution, and of no other, take as long as `costs` say. Not while it is active.
  void watch(Execution& execution, const machine::TaskCosts& costs);
  /// It may go.
  void forget() { meter_.reset(); }
  /// Lets the time pass that was copied for since the last call. Before all that other ranks can see, and before this
  /// one looks at the clock.
  void pass();

 private:
  std::optional<machine::TaskMeter> meter_;
};

/// The core computes for so long.
void compute(machine::SimulatedTime time);

}  // namespace rondo::internal::smpi

#endif
