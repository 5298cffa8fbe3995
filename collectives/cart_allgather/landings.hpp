/// @file
/// Landings: where the blocks of a message arrive, and the copies to where they belong.
#ifndef RONDO_COLLECTIVES_CART_ALLGATHER_LANDINGS_HPP
#define RONDO_COLLECTIVES_CART_ALLGATHER_LANDINGS_HPP

#include "collectives/cart_allgather/problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::allgather {

/// A block that comes in a message.
struct ArrivingBlock {
  std::span<const int> ends;  ///< indices of the neighbors whose block it is here; none where it only passes through
  std::int64_t bytes;
  BlockId at = {};  ///< where it arrives
};

/// Places the blocks that come to a process, and copies them on to its receive blocks.
class Landings {
 public:
  /// Keeps references.
  Landings(const Problem& problem, ScheduleBuilder& builder);

  /// Decides where the blocks of one message arrive: at one of their ends, if any, but if the message is copied anyway,
  /// all in scratch memory, from which they can be passed on without waiting for the copies to their ends.
  void place(std::span<ArrivingBlock> message);
  /// After the message was received: to all ends at which a block is not yet, in one task.
  void copy_to_ends(std::span<const ArrivingBlock> message);

 private:
  [[nodiscard]] BlockId first_end(std::span<const int> ends) const;

  const Problem& problem_;
  ScheduleBuilder& builder_;
  std::vector<BlockId> recv_;
  std::vector<BlockId> arriving_;
  std::vector<BlockId> from_;
  std::vector<BlockId> to_;
};

}  // namespace rondo::internal::allgather

#endif
