/// @file
/// What an execution adds to a trace.
#ifndef RONDO_RUNTIME_TRACE_EXECUTION_TRACE_HPP
#define RONDO_RUNTIME_TRACE_EXECUTION_TRACE_HPP

#include "runtime/schedule/schedule.hpp"
#include "runtime/trace/trace.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal {

/// All functions do nothing while there is no trace: a test of a pointer, here, in the caller's code. Called by the
/// holder of the progress token.
class ExecutionTrace {
 public:
  ExecutionTrace() = default;
  /// `operation`: of Trace::add_operation().
  ExecutionTrace(Trace& trace, std::uint32_t operation) noexcept : trace_(&trace), operation_(operation) {}

  [[nodiscard]] bool on() const noexcept { return trace_ != nullptr; }
  [[nodiscard]] std::uint32_t operation() const noexcept { return operation_; }
  /// Null when there is none.
  [[nodiscard]] Trace* trace() const noexcept { return trace_; }
  /// The time in ticks; 0 without a trace.
  [[nodiscard]] std::uint64_t now() const noexcept { return on() ? trace_->now() : 0; }

  void started(const Schedule& schedule) const noexcept {
    if (on()) [[unlikely]]
      add_start(schedule);
  }
  /// The messages that wait for nothing were posted, from `since` to now.
  void posted_roots(const Schedule& schedule, std::uint64_t since) const noexcept {
    if (on()) [[unlikely]]
      add_roots(schedule, since);
  }
  /// The function of a compute task ran from `since` to now.
  void ran(const Task& task, TaskId id, std::uint64_t since) const noexcept {
    if (on()) [[unlikely]]
      add_run(task, id, since);
  }
  /// The same from `since` to `until`, on another thread.
  void ran_elsewhere(const Task& task, TaskId id, std::uint64_t since, std::uint64_t until,
                     std::uint32_t thread) const noexcept {
    if (on()) [[unlikely]]
      add_run_elsewhere(task, id, since, until, thread);
  }
  /// A message is complete.
  void completed(TaskId id, int code) const noexcept {
    if (on()) [[unlikely]]
      add_completion(id, code);
  }
  /// The application waited for the operation from `since` to now. Any thread.
  void waited(std::uint64_t since) const noexcept {
    if (on()) [[unlikely]]
      add_wait(since);
  }
  /// All messages in flight are.
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

/// Times tasks that are run one after the other. Reading the clock costs more than a short copy: up to kMostTogether of
/// these are timed as one, and have the last one's event say when they ended; the others have TraceEvent::kUnknown.
class TaskTimes {
 public:
  static constexpr std::uint32_t kMostTogether = 16;

  explicit TaskTimes(const ExecutionTrace& trace) noexcept : trace_(trace), since_(trace.now()) {}
  TaskTimes(const TaskTimes&) = delete;
  TaskTimes& operator=(const TaskTimes&) = delete;
  ~TaskTimes() { end_together(); }

  /// Before a task is run, or a message posted.
  void begin(const Task& task) noexcept {
    if (!is_short(task)) end_together();
  }
  /// After it.
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
  std::uint32_t together_ = 0;  ///< short ones since then
};

/// The same where nobody looks.
struct NoTaskTimes {
  explicit NoTaskTimes(const ExecutionTrace&) noexcept {}
  void begin(const Task&) noexcept {}
  void end(const Task&, TaskId) noexcept {}
};

}  // namespace rondo::internal

#endif
