/// @file
/// OwnSchedule: the result of a user-defined lowering on one rank.
#ifndef RONDO_COLLECTIVES_OWN_OWN_SCHEDULE_HPP
#define RONDO_COLLECTIVES_OWN_OWN_SCHEDULE_HPP

#include "collectives/blocks/call_side.hpp"
#include "datatypes/layout/layout.hpp"
#include "runtime/execution/block_watch.hpp"
#include "runtime/schedule/schedule.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {

/// The user's blocks in a schedule, in the order in which the lowering first named them, without empty ones.
struct OwnBlocks {
  std::vector<PlacedLayout> sent;
  std::vector<PlacedLayout> received;
  std::deque<Layout> layouts;  ///< the layouts of all blocks
};

/// A schedule that a user-defined lowering has made, with its blocks: the result of OwnBuilder::build().
struct OwnSchedule {
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<const OwnBlocks> blocks;
  ByteRange send{0, 0};  ///< bytes of the buffers that the schedule touches
  ByteRange recv{0, 0};
  bool is_exact = true;  ///< no reduction's result depends on the order of its operands
};

/// Returns the user's blocks as a request reports them. The result shares ownership of `blocks`.
[[nodiscard]] UserBlocks user_blocks_of(const std::shared_ptr<const OwnBlocks>& blocks);

/// A send or receive buffer that the user gives. `bytes` is -1 if its length is unknown.
struct OwnBuffer {
  const void* address;
  std::int64_t bytes;
};

/// Checks the user's buffers. Throws Error (MPI_ERR_BUFFER) if a buffer is null or too short, and if two buffers share
/// bytes of blocks. In place, `send` must be the address MPI_IN_PLACE.
void check_own_buffers(const OwnSchedule& schedule, const OwnBuffer& send, const OwnBuffer& recv);

}  // namespace rondo::internal

#endif
