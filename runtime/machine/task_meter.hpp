/// @file
/// TaskMeter: what the copies and reductions of executions would have taken on the simulated machine.
#ifndef RONDO_RUNTIME_MACHINE_TASK_METER_HPP
#define RONDO_RUNTIME_MACHINE_TASK_METER_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/machine/parameters.hpp"
#include "runtime/machine/simulated_time.hpp"
#include "runtime/trace/trace.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal::machine {

/// Reads the trace into which the executions tell their tasks: the library has no hook of its own for this.
class TaskMeter {
 public:
  /// `most_tasks`: a power of two.
  explicit TaskMeter(const TaskCosts& costs, std::size_t most_tasks = kMostTasks)
      : costs_(costs), most_tasks_(most_tasks), trace_(most_tasks) {}

  /// From now on the tasks of this execution count. Not while it is active.
  void watch(Execution& execution);
  /// The time of all tasks that ran since the last call. They must not be more than `most_tasks`: throws
  /// std::length_error.
  [[nodiscard]] SimulatedTime take();

 private:
  static constexpr std::size_t kMostTasks = std::size_t{1} << 17U;

  [[nodiscard]] SimulatedTime time_of(const Schedule& schedule, const Task& task) const;

  TaskCosts costs_;
  std::size_t most_tasks_;
  Trace trace_;
  std::vector<const Schedule*> schedules_;  ///< of the executions, by their number in the trace
  std::size_t taken_ = 0;                   ///< events
};

}  // namespace rondo::internal::machine

#endif
