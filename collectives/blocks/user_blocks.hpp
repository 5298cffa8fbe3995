/// @file
/// user_blocks(): a function that describes the blocks of a call to callers that watch their arrival.
#ifndef RONDO_COLLECTIVES_BLOCKS_USER_BLOCKS_HPP
#define RONDO_COLLECTIVES_BLOCKS_USER_BLOCKS_HPP

#include "collectives/blocks/call_side.hpp"
#include "runtime/execution/block_watch.hpp"

#include <iterator>
#include <memory>
#include <utility>

namespace rondo::internal {

/// Returns a description of a call's blocks. `shapes`: both sides of the call, block by block, with members `send` and
/// `recv`. `one_received`, `one_sent`: whether a side is one block whatever the neighbors; without neighbors an empty
/// one.
template <typename Shapes>
[[nodiscard]] UserBlocks user_blocks(std::shared_ptr<const Shapes> shapes, bool one_received, bool one_sent) {
  const auto block_of = [](const SideShapes& side, int i) {
    if (side.blocks.empty()) return UserBlock{0, {}};
    const BlockShape& shape = side.blocks[static_cast<std::size_t>(i)];
    return UserBlock{shape.offset, *shape.layout};
  };
  UserBlocks blocks{one_received ? 1 : static_cast<int>(std::ssize(shapes->recv.blocks)),
                    one_sent ? 1 : static_cast<int>(std::ssize(shapes->send.blocks))};
  blocks.received_block = [shapes, block_of](int i) { return block_of(shapes->recv, i); };
  blocks.sent_block = [shapes = std::move(shapes), block_of](int i) { return block_of(shapes->send, i); };
  return blocks;
}

}  // namespace rondo::internal

#endif
