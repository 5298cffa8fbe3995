/// @file
/// ExecutionTrace: the access of an execution to a trace, to which it adds its events.
#ifndef RONDO_RUNTIME_TRACE_EXECUTION_TRACE_HPP
#define RONDO_RUNTIME_TRACE_EXECUTION_TRACE_HPP

#include "runtime/schedule/schedule.hpp"
#include "runtime/trace/trace.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal {

/// The access of an execution to a trace, to which it adds its events. Without a trace every function does nothing but
/// an inlined test of a pointer. Call with the progress token held.
class ExecutionTrace {
 public:
  ExecutionTrace() = default;
  /// Makes an access to `trace`. `operation`: the number that Trace::add_operation() returned.
  ExecutionTrace(Trace& trace, std::uint32_t operation) noexcept : trace_(&trace), operation_(operation) {}

  [[nodiscard]] bool on() const noexcept { return trace_ != nullptr; }
  [[nodiscard]] std::uint32_t operation() const noexcept { return operation_; }
  /// Returns the trace, or null if there is none.
  [[nodiscard]] Trace* trace() const noexcept { return trace_; }
  /// Returns the time in ticks of the trace's clock, or 0 without a trace.
  [[nodiscard]] std::uint64_t now() const noexcept { return on() ? trace_->now() : 0; }

  void started(const Schedule& schedule) const noexcept {
    if (on()) [[unlikely]]
      add_start(schedule);
  }
  /// Records that the messages that wait for nothing were posted, from `since` to now.
  void posted_roots(const Schedule& schedule, std::uint64_t since) const noexcept {
    if (on()) [[unlikely]]
      add_roots(schedule, since);
  }
  /// Records that the function of a compute task ran from `since` to now.
  void ran(const Task& task, TaskId id, std::uint64_t since) const noexcept {
    if (on()) [[unlikely]]
      add_run(task, id, since);
  }
  /// Records that the function of a compute task ran from `since` to `until`, on another thread.
  void ran_elsewhere(const Task& task, TaskId id, std::uint64_t since, std::uint64_t until,
                     std::uint32_t thread) const noexcept {
    if (on()) [[unlikely]]
      add_run_elsewhere(task, id, since, until, thread);
  }
  /// Records that a message is complete.
  void completed(TaskId id, int code) const noexcept {
    if (on()) [[unlikely]]
      add_completion(id, code);
  }
  /// Records that the application waited for the operation from `since` to now. Thread-safe.
  void waited(std::uint64_t since) const noexcept {
    if (on()) [[unlikely]]
      add_wait(since);
  }
  /// Records that all messages in flight are complete.
  void all_completed() const noexcept {
    if (on()) [[unlikely]]
      add_all_completion();
  }

 private:
  friend class TaskTimes;
  void add_start(const Schedule& schedule) const noexcept;
  void add_roots(const Schedule& schedule, std::uint64_t since) const noexcept;
  void add_run(const Task& task, TaskId id, std::uint64_t since) const noexcept;
  void add_run_elsewhere(const Task& task, TaskId id, std::uint64_t since, std::uint64_t until,
                         std::uint32_t thread) const noexcept;
  void add_completion(TaskId id, int code) const noexcept;
  void add_all_completion() const noexcept;
  void add_wait(std::uint64_t since) const noexcept;
  [[nodiscard]] TraceEvent event(TraceKind kind, std::uint64_t begin, std::uint64_t end,
                                 std::uint64_t detail = 0) const noexcept;
  [[nodiscard]] TraceEvent event_of(const Task& task, TaskId id, std::uint64_t begin, std::uint64_t end) const noexcept;

  Trace* trace_ = nullptr;
  std::uint32_t operation_ = 0;
};

/// A timer of successive tasks. Reading the clock costs more than a short copy. So up to kMostTogether short tasks are
/// timed as one: the event of the last one holds their end, the others hold TraceEvent::kUnknown.
class TaskTimes {
 public:
  static constexpr std::uint32_t kMostTogether = 16;

  explicit TaskTimes(const ExecutionTrace& trace) noexcept : trace_(trace), since_(trace.now()) {}
  TaskTimes(const TaskTimes&) = delete;
  TaskTimes& operator=(const TaskTimes&) = delete;
  ~TaskTimes() { end_together(); }

  /// Begins to time a task. Call this before the task runs, or a message is posted.
  void begin(const Task& task) noexcept {
    if (!is_short(task)) end_together();
  }
  /// Adds the event of a task. Call this after the task has run, or a message was posted.
  void end(const Task& task, TaskId id) noexcept {
    if (trace_.on()) add(task, id);
  }

 private:
  [[nodiscard]] static bool is_short(const Task& task) noexcept {
    constexpr std::int64_t kShort = 1024;  // bytes
    return (task.kind == TaskKind::copy || task.kind == TaskKind::join) && task.bytes < kShort;
  }
  void add(const Task& task, TaskId id) noexcept;
  void end_together() noexcept;

  const ExecutionTrace& trace_;
  std::uint64_t since_;
  std::uint32_t together_ = 0;  ///< number of short tasks since `since_`
};

/// A replacement for TaskTimes that does nothing, for executions without a trace.
struct NoTaskTimes {
  explicit NoTaskTimes(const ExecutionTrace&) noexcept {}
  void begin(const Task&) noexcept {}
  void end(const Task&, TaskId) noexcept {}
};

}  // namespace rondo::internal

#endif
