/// @file
/// The blocks of a call, as who watches their arrival asks for them.
#ifndef RONDO_COLLECTIVES_BLOCKS_USER_BLOCKS_HPP
#define RONDO_COLLECTIVES_BLOCKS_USER_BLOCKS_HPP

#include "collectives/blocks/call_side.hpp"
#include "runtime/execution/block_watch.hpp"

#include <iterator>
#include <memory>
#include <utility>

namespace rondo::internal {

/// `shapes`: both sides of a call, block by block, with members `send` and `recv`.
template <typename Shapes>
[[nodiscard]] UserBlocks user_blocks(std::shared_ptr<const Shapes> shapes) {
  const auto block_of = [](const SideShapes& side, int i) {
    const BlockShape& shape = side.blocks[static_cast<std::size_t>(i)];
    return UserBlock{shape.offset, *shape.layout};
  };
  UserBlocks blocks{static_cast<int>(std::ssize(shapes->recv.blocks)),
                    static_cast<int>(std::ssize(shapes->send.blocks))};
  blocks.received_block = [shapes, block_of](int i) { return block_of(shapes->recv, i); };
  blocks.sent_block = [shapes = std::move(shapes), block_of](int i) { return block_of(shapes->send, i); };
  return blocks;
}

}  // namespace rondo::internal

#endif
