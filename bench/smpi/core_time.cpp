#include "core_time.hpp"

#include "runtime/machine/simulated_time.hpp"

#include <mpi.h>

#include <cstddef>

namespace rondo::internal::smpi {

CoreTime& CoreTime::of_rank() {
  static CoreTime time;
  return time;
}

void CoreTime::watch(Execution& execution, const machine::TaskCosts& costs) {
  constexpr std::size_t kMostTasks = std::size_t{1} << 13U;  // in a row: a thousand ranks have such a memory
  meter_.emplace(costs, kMostTasks);
  meter_->watch(execution);
}

void CoreTime::pass() {
  if (!meter_) return;
  if (const machine::SimulatedTime time = meter_->take(); time > 0) compute(time);
}

void compute(machine::SimulatedTime time) { smpi_execute_benched(machine::to_nanoseconds(time) * 1e-9); }

}  // namespace rondo::internal::smpi
