/// @file
/// TaskMeter: measures the time of the copies and reductions of executions on the simulated machine.
#ifndef RONDO_RUNTIME_MACHINE_TASK_METER_HPP
#define RONDO_RUNTIME_MACHINE_TASK_METER_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/machine/parameters.hpp"
#include "runtime/machine/simulated_time.hpp"
#include "runtime/trace/trace.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal::machine {

/// A TaskMeter computes the simulated time of the copies and reductions that executions run. It reads the trace to
/// which executions report their tasks, because the library has no special hook for this.
class TaskMeter {
 public:
  /// Makes a meter for at most `most_tasks` tasks between two calls of take(): a power of two.
  explicit TaskMeter(const TaskCosts& costs, std::size_t most_tasks = kMostTasks)
      : costs_(costs), most_tasks_(most_tasks), trace_(most_tasks) {}

  /// Counts the tasks of this execution from now on. Call this only while the execution is not active.
  void watch(Execution& execution);
  /// Returns the simulated time of all copies and reductions that ran since the last call. Throws std::length_error if
  /// there were more than `most_tasks` events since then.
  [[nodiscard]] SimulatedTime take();

 private:
  static constexpr std::size_t kMostTasks = std::size_t{1} << 17U;

  [[nodiscard]] SimulatedTime time_of(const Schedule& schedule, const Task& task) const;

  TaskCosts costs_;
  std::size_t most_tasks_;
  Trace trace_;
  std::vector<const Schedule*> schedules_;  ///< schedules of the executions, by their number in the trace
  std::size_t taken_ = 0;                   ///< number of events that take() has read
};

}  // namespace rondo::internal::machine

#endif
