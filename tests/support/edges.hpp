/// @file
/// The dependencies of a schedule.
#ifndef RONDO_TESTS_SUPPORT_EDGES_HPP
#define RONDO_TESTS_SUPPORT_EDGES_HPP

#include "runtime/schedule/schedule.hpp"

#include <set>
#include <utility>

namespace rondo::internal {

/// Pairs of a task and one that waits for it.
using Edges = std::set<std::pair<TaskId, TaskId>>;

[[nodiscard]] inline Edges edges_of(const Schedule& schedule) {
  Edges found;
  for (TaskId id = 0; id < schedule.tasks().size(); ++id) {
    for (const TaskId successor : schedule.successors(schedule.tasks()[id])) found.emplace(id, successor);
  }
  return found;
}

}  // namespace rondo::internal

#endif
