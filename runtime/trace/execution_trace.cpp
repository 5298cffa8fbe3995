#include "runtime/trace/execution_trace.hpp"

#include <algorithm>
#include <limits>

namespace rondo::internal {

namespace {

std::uint16_t short_phase(std::uint32_t phase) noexcept {
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(phase, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

TraceEvent ExecutionTrace::event(TraceKind kind, std::uint64_t begin, std::uint64_t end,
                                 std::uint64_t detail) const noexcept {
  return {.begin = begin,
          .end = end,
          .detail = detail,
          .operation = operation_,
          .task = kNoTask,
          .peer = -1,
          .round = 0,
          .thread = this_thread_for_trace(),
          .phase = 0,
          .kind = kind,
          .task_kind = TaskKind::join};
}

/// Returns the event of a task.
inline TraceEvent ExecutionTrace::event_of(const Task& task, TaskId id, std::uint64_t begin,
                                           std::uint64_t end) const noexcept {
  return {.begin = begin,
          .end = end,
          .detail = static_cast<std::uint64_t>(task.bytes),
          .operation = operation_,
          .task = id,
          .peer = task.peer,
          .round = task.round,
          .thread = this_thread_for_trace(),
          .phase = short_phase(task.phase),
          .kind = TraceKind::task,
          .task_kind = task.kind};
}

[[gnu::hot]] void TaskTimes::add(const Task& task, TaskId id) noexcept {
  Trace& trace = *trace_.trace_;
  if (is_short(task) && ++together_ < kMostTogether) {
    trace.add(trace_.event_of(task, id, since_, TraceEvent::kUnknown));
    return;
  }
  const std::uint64_t now = trace.now();
  trace.add(trace_.event_of(task, id, since_, now));
  since_ = now;
  together_ = 0;
}

void TaskTimes::end_together() noexcept {
  if (together_ == 0) return;
  since_ = trace_.trace_->now();
  trace_.trace_->end_last(since_);
  together_ = 0;
}

void ExecutionTrace::add_start(const Schedule& schedule) const noexcept {
  const std::uint64_t now = trace_->now();
  trace_->add(event(TraceKind::start, now, now, schedule.tasks().size()));
}

void ExecutionTrace::add_roots(const Schedule& schedule, std::uint64_t since) const noexcept {
  if (schedule.root_messages() == 0) return;
  trace_->add(event(TraceKind::posting, since, trace_->now(), schedule.root_messages()));
  for (const TaskId id : schedule.messages().first(schedule.root_messages()))
    trace_->add(event_of(schedule.tasks()[id], id, since, since));
}

void ExecutionTrace::add_run(const Task& task, TaskId id, std::uint64_t since) const noexcept {
  trace_->add(event_of(task, id, since, trace_->now()));
}

void ExecutionTrace::add_run_elsewhere(const Task& task, TaskId id, std::uint64_t since, std::uint64_t until,
                                       std::uint32_t thread) const noexcept {
  TraceEvent made = event_of(task, id, since, until);
  made.thread = thread;
  trace_->add(made);
}

void ExecutionTrace::add_completion(TaskId id, int code) const noexcept {
  const std::uint64_t now = trace_->now();
  TraceEvent made = event(TraceKind::completion, now, now, static_cast<std::uint64_t>(std::int64_t{code}));
  made.task = id;
  trace_->add(made);
}

void ExecutionTrace::add_all_completion() const noexcept {
  const std::uint64_t now = trace_->now();
  trace_->add(event(TraceKind::all_completion, now, now));
}

void ExecutionTrace::add_wait(std::uint64_t since) const noexcept {
  trace_->add_from_anywhere(event(TraceKind::wait, since, trace_->now()));
}

}  // namespace rondo::internal
