/// @file
/// Which messages of a rank carry the same data to different places.
#ifndef RONDO_RUNTIME_ROUTES_SAME_DATA_HPP
#define RONDO_RUNTIME_ROUTES_SAME_DATA_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Numbers of messages, in Schedule::messages(), that carry the same bytes in each start.
using SameData = std::vector<std::uint32_t>;

/// Of `sends`, numbers of messages that are sent, those that have their data in common with others, each group
/// ascending. Their data lie in the same bytes of memory, in the same order, and nothing writes these between one send
/// and another: they are bytes of the send buffer, which nothing writes at all, or the sends wait for the same tasks.
/// What waits for the same tasks comes after the same writers, and who writes later waits for all readers. Throws
/// std::bad_alloc.
[[nodiscard]] std::vector<SameData> same_data(const Schedule& schedule, std::span<const std::uint32_t> sends);

}  // namespace rondo::internal

#endif
