/// @file
/// OwnSchedule: what a lowering of the user's own comes to on one rank.
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

/// The user's blocks, in the order in which the lowering first named them, without those of no bytes.
struct OwnBlocks {
  std::vector<PlacedLayout> sent;
  std::vector<PlacedLayout> received;
  std::deque<Layout> layouts;  ///< of all of them
};

struct OwnSchedule {
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<const OwnBlocks> blocks;
  ByteRange send{0, 0};  ///< of the buffers that it touches
  ByteRange recv{0, 0};
  bool is_exact = true;  ///< nothing is reduced whose result depends on the order of its operands
};

/// The blocks as a request tells of them: they refer to `blocks`.
[[nodiscard]] UserBlocks user_blocks_of(const std::shared_ptr<const OwnBlocks>& blocks);

/// A buffer of the user's: `bytes` -1 where nobody knows how long it is.
struct OwnBuffer {
  const void* address;
  std::int64_t bytes;
};

/// Throws Error, MPI_ERR_BUFFER: for one buffer that is null or too short, and for two that share bytes of blocks. In
/// place, `send` must be the address MPI_IN_PLACE.
void check_own_buffers(const OwnSchedule& schedule, const OwnBuffer& send, const OwnBuffer& recv);

}  // namespace rondo::internal

#endif
