/// @file
/// The function same_data(), which finds messages of a rank that carry the same data to different places.
#ifndef RONDO_RUNTIME_ROUTES_SAME_DATA_HPP
#define RONDO_RUNTIME_ROUTES_SAME_DATA_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The numbers in Schedule::messages() of messages that carry the same bytes as each other, in every start.
using SameData = std::vector<std::uint32_t>;

/// Returns the groups of messages, among `sends`, that have their data in common; the numbers of each group ascend.
/// `sends`: numbers of messages that are sent. The data of a group lie in the same bytes of memory, in the same order,
/// and nothing writes these bytes between one send and another: they are bytes of the send buffer, which nothing writes
/// at all, or the sends wait for the same tasks. Sends that wait for the same tasks come after the same writers, and
/// later writers wait for all readers. Throws std::bad_alloc.
[[nodiscard]] std::vector<SameData> same_data(const Schedule& schedule, std::span<const std::uint32_t> sends);

}  // namespace rondo::internal

#endif
