/// @file
/// ReadyFunctions: the compute tasks of an execution that wait for a thread to run them.
#ifndef RONDO_RUNTIME_FUNCTIONS_READY_FUNCTIONS_HPP
#define RONDO_RUNTIME_FUNCTIONS_READY_FUNCTIONS_HPP

#include "runtime/schedule/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

namespace rondo::internal {

/// Queues of ready functions: urgent ones first, so that their messages leave, and each kind in the order in which it
/// became ready. Each task comes once in a start, so there is space for all of them and no queue wraps around.
class ReadyFunctions {
 public:
  explicit ReadyFunctions(const Schedule& schedule)
      : tasks_(std::make_unique<TaskId[]>(schedule.computations().size())),
        urgent_(static_cast<std::uint32_t>(std::ranges::count_if(
            schedule.tasks(), [](const Task& task) { return task.kind == TaskKind::compute && is_urgent(task); }))) {
    reset();
  }

  /// Empties the queues for the next start. All functions must have been taken.
  void reset() noexcept {
    urgent_begin_ = urgent_end_ = 0;
    other_begin_ = other_end_ = urgent_;
  }
  [[nodiscard]] bool empty() const noexcept { return urgent_begin_ == urgent_end_ && other_begin_ == other_end_; }
  void push(TaskId id, const Task& task) noexcept { tasks_[is_urgent(task) ? urgent_end_++ : other_end_++] = id; }
  /// Removes and returns the next function, or kNoTask if there is none.
  [[nodiscard]] TaskId pop() noexcept {
    if (urgent_begin_ != urgent_end_) return tasks_[urgent_begin_++];
    return other_begin_ != other_end_ ? tasks_[other_begin_++] : kNoTask;
  }
  /// Calls visit(task) for each function that is ready.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t i = urgent_begin_; i != urgent_end_; ++i) visit(tasks_[i]);
    for (std::uint32_t i = other_begin_; i != other_end_; ++i) visit(tasks_[i]);
  }

 private:
  std::unique_ptr<TaskId[]> tasks_;
  std::uint32_t urgent_;  ///< number of urgent functions in the schedule
  std::uint32_t urgent_begin_ = 0;
  std::uint32_t urgent_end_ = 0;
  std::uint32_t other_begin_ = 0;
  std::uint32_t other_end_ = 0;
};

}  // namespace rondo::internal

#endif
