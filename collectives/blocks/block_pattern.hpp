/// @file
/// BlockPattern: the numbers and properties of a collective's blocks that the checks of a call need.
#ifndef RONDO_COLLECTIVES_BLOCKS_BLOCK_PATTERN_HPP
#define RONDO_COLLECTIVES_BLOCKS_BLOCK_PATTERN_HPP

#include "collectives/blocks/call_side.hpp"

#include <cstddef>
#include <span>

namespace rondo::internal {

/// The numbers of a send block and of the receive block that its data end up in.
struct BlockPair {
  std::size_t sent;
  std::size_t received;
};

/// The numbers and properties of the blocks of a communicator's collectives. Refers to the communicator's context.
struct BlockPattern {
  int targets;
  int sources;
  ExistingBlocks existing_targets = {};
  ExistingBlocks existing_sources = {};
  std::span<const BlockPair> to_self = {};  ///< blocks that stay on the process, as an alltoall numbers them
  bool may_be_in_place = false;
  bool keeps_order = false;  ///< reductions may have operations that are not commutative
  /// Whether every process sends to as many as it receives from, so that a regular call has one size of blocks.
  bool same_on_both_sides = true;
};

}  // namespace rondo::internal

#endif
