/// @file
/// BlockShape: the layout and the place of one of the user's blocks.
#ifndef RONDO_COLLECTIVES_BLOCKS_BLOCK_SHAPE_HPP
#define RONDO_COLLECTIVES_BLOCKS_BLOCK_SHAPE_HPP

#include "datatypes/layout/layout.hpp"

namespace rondo::internal {

/// The shape of one of the user's blocks: its layout and its offset from the buffer.
using BlockShape = PlacedLayout;

}  // namespace rondo::internal

#endif
