/// @file
/// Whether a rank that has started a schedule can be left alone.
#ifndef RONDO_TESTS_UNDER_WAY_AT_START_HPP
#define RONDO_TESTS_UNDER_WAY_AT_START_HPP

#include "runtime/schedule/schedule.hpp"

#include <span>
#include <vector>

namespace rondo::internal {

/// Whether no message waits for another one: a start posts all of them, after copies at most.
[[nodiscard]] inline bool under_way_at_start(const Schedule& schedule) {
  const auto is_message = [](const Task& task) {
    return task.kind == TaskKind::send || task.kind == TaskKind::receive;
  };
  std::vector<char> reached(schedule.tasks().size(), 0);
  std::vector<TaskId> to_visit(schedule.messages().begin(), schedule.messages().end());
  while (!to_visit.empty()) {
    const Task& task = schedule.tasks()[to_visit.back()];
    to_visit.pop_back();
    for (const TaskId successor : schedule.successors(task)) {
      if (is_message(schedule.tasks()[successor])) return false;
      if (reached[successor]++ == 0) to_visit.push_back(successor);
    }
  }
  return true;
}

}  // namespace rondo::internal

#endif
