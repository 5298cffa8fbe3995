/// @file
/// MessageWays: the way of each message of a schedule, for traces, drawings and explanations.
#ifndef RONDO_RUNTIME_SCHEDULE_MESSAGE_WAYS_HPP
#define RONDO_RUNTIME_SCHEDULE_MESSAGE_WAYS_HPP

#include "runtime/schedule/task.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rondo::internal {

enum class MessageWay : std::uint8_t {
  mpi,
  shared_memory,  ///< in every start: through slots, or between arrays that both ends can reach
  lane            ///< through a lane if there is room in it, otherwise over MPI; each start decides
};

/// Returns a name for people.
[[nodiscard]] constexpr const char* name(MessageWay way) noexcept {
  if (way == MessageWay::shared_memory) return "shared memory";
  return way == MessageWay::lane ? "lane" : "MPI";
}

/// The tasks of the messages that need not go over MPI, ascending.
struct MessageWays {
  std::vector<TaskId> shared{};
  std::vector<TaskId> in_lanes{};

  [[nodiscard]] MessageWay of(TaskId message) const noexcept {
    if (std::ranges::binary_search(shared, message)) return MessageWay::shared_memory;
    return std::ranges::binary_search(in_lanes, message) ? MessageWay::lane : MessageWay::mpi;
  }
};

}  // namespace rondo::internal

#endif
