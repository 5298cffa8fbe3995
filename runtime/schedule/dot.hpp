/// @file
/// Drawing a schedule.
#ifndef RONDO_RUNTIME_SCHEDULE_DOT_HPP
#define RONDO_RUNTIME_SCHEDULE_DOT_HPP

#include "runtime/schedule/message_ways.hpp"
#include "runtime/schedule/schedule.hpp"

#include <string>
#include <string_view>

namespace rondo::internal {

/// The schedule in Graphviz's language: a node t<number> for each task, which says what it does, with whom, its bytes
/// and its round, and the way of a message that does not have to take MPI; a box for each phase that has tasks; an
/// arrow for each dependency.
[[nodiscard]] std::string to_dot(const Schedule& schedule, std::string_view title, const MessageWays& ways = {});

}  // namespace rondo::internal

#endif
