#include "runtime/machine/task_meter.hpp"

#include "datatypes/copying/copy_program.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace rondo::internal::machine {
namespace {

/// Returns the number of pieces that a program copies. Does not walk through the passes of its loops.
std::int64_t count_pieces(std::span<const CopyRun> program) {
  std::int64_t pieces = 0;
  while (!program.empty()) {
    const CopyRun& run = program.front();
    pieces += run.count * (is_loop(run) ? count_pieces(program.subspan(1, run.body)) : 1);
    program = program.subspan(entries_of_first(program));
  }
  return pieces;
}

}  // namespace

void TaskMeter::watch(Execution& execution) {
  const std::uint32_t number = trace_.add_operation("");
  schedules_.resize(std::max(schedules_.size(), std::size_t{number} + 1));
  schedules_[number] = &execution.schedule();
  execution.set_trace({trace_, number});
}

SimulatedTime TaskMeter::take() {
  const TraceRing& ring = trace_.of_driver();
  const std::size_t end = ring.written();
  if (end - taken_ > most_tasks_) throw std::length_error("more tasks in a row than a simulated rank can count");
  SimulatedTime time = 0;
  for (; taken_ < end; ++taken_) {
    const TraceEvent& event = ring[taken_];
    if (event.kind != TraceKind::task || is_message(event.task_kind)) continue;
    if (event.task_kind == TaskKind::join || event.task_kind == TaskKind::compute) continue;
    const Schedule& schedule = *schedules_[event.operation];
    time += time_of(schedule, schedule.tasks()[event.task]);
  }
  return time;
}

SimulatedTime TaskMeter::time_of(const Schedule& schedule, const Task& task) const {
  if (task.kind == TaskKind::reduce)
    return std::max<std::int64_t>(task.part_count, 1) * costs_.reduction + task.bytes * costs_.reduced_byte;
  const std::int64_t pieces = task.part_count == 0 ? 1 : count_pieces(schedule.runs(task));
  return pieces * costs_.copied_piece + task.bytes * costs_.copied_byte;
}

}  // namespace rondo::internal::machine
