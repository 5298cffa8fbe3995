/// @file
/// Drawing a schedule.
#ifndef RONDO_RUNTIME_SCHEDULE_DOT_HPP
#define RONDO_RUNTIME_SCHEDULE_DOT_HPP

#include "runtime/schedule/message_ways.hpp"
#include "runtime/schedule/schedule.hpp"

#include <string>
#include <string_view>

namespace rondo::internal {

/// Returns the schedule in Graphviz's language. Each task is a node t<number> with its kind, peer, bytes and round, and
/// the way of a message that need not go over MPI. Each phase that has tasks is a box, each dependency an arrow.
[[nodiscard]] std::string to_dot(const Schedule& schedule, std::string_view title, const MessageWays& ways = {});

}  // namespace rondo::internal

#endif
