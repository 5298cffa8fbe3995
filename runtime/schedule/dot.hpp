/// @file
/// Drawing a schedule.
#ifndef RONDO_RUNTIME_SCHEDULE_DOT_HPP
#define RONDO_RUNTIME_SCHEDULE_DOT_HPP

#include "runtime/schedule/schedule.hpp"

#include <span>
#include <string>
#include <string_view>

namespace rondo::internal {

/// The schedule in Graphviz's language: a node t<number> for each task, which says what it does, with whom, its bytes
/// and its round; a box for each phase that has tasks; an arrow for each dependency. `shared`: the messages that go
/// through shared memory, ascending.
[[nodiscard]] std::string to_dot(const Schedule& schedule, std::string_view title, std::span<const TaskId> shared = {});

}  // namespace rondo::internal

#endif
