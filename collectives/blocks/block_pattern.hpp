/// @file
/// BlockPattern: between whom blocks move, as far as the checks of a call want to know.
#ifndef RONDO_COLLECTIVES_BLOCKS_BLOCK_PATTERN_HPP
#define RONDO_COLLECTIVES_BLOCKS_BLOCK_PATTERN_HPP

#include "collectives/blocks/call_side.hpp"

#include <cstddef>
#include <span>

namespace rondo::internal {

/// A send block and the receive block that it becomes.
struct BlockPair {
  std::size_t sent;
  std::size_t received;
};

/// Of the collectives of a communicator, to whose context it refers.
struct BlockPattern {
  int targets;
  int sources;
  ExistingBlocks existing_targets = {};
  ExistingBlocks existing_sources = {};
  std::span<const BlockPair> to_self = {};  ///< blocks that stay on the process, as an alltoall numbers them
  bool may_be_in_place = false;
  bool keeps_order = false;  ///< reductions may be of operations that are not commutative
  /// Every process sends to as many as it receives from, so that a regular call has one size of blocks.
  bool same_on_both_sides = true;
};

}  // namespace rondo::internal

#endif
