/// @file
/// Landings: the places at which blocks of messages arrive, and their copies to the receive blocks.
#ifndef RONDO_COLLECTIVES_CART_ALLGATHER_LANDINGS_HPP
#define RONDO_COLLECTIVES_CART_ALLGATHER_LANDINGS_HPP

#include "collectives/cart_allgather/problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::allgather {

/// A block that arrives in a message.
struct ArrivingBlock {
  std::span<const int> ends;  ///< indices of the neighbors whose block this is; empty if it only passes through
  std::int64_t bytes;
  BlockId at = {};  ///< the block of the builder in which it arrives; set by place()
};

/// The places at which blocks arrive at a process, and the copies from there to its receive blocks.
class Landings {
 public:
  /// Keeps references to its arguments.
  Landings(const Problem& problem, ScheduleBuilder& builder);

  /// Decides where the blocks of one message arrive: each at one of its ends, or in scratch memory if it has none. If
  /// the message is copied anyway, all of its blocks arrive in scratch memory, from which they can be passed on without
  /// waiting for the copies to their ends.
  void place(std::span<ArrivingBlock> message);
  /// Copies the blocks of a received message, in one task, to those of their ends at which they did not arrive.
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
