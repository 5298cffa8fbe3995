/// @file
/// BlockShape: where one block of the user's lies.
#ifndef RONDO_COLLECTIVES_BLOCKS_BLOCK_SHAPE_HPP
#define RONDO_COLLECTIVES_BLOCKS_BLOCK_SHAPE_HPP

#include "datatypes/layout/layout.hpp"

namespace rondo::internal {

/// One block of the user's: its layout, displaced from the buffer.
using BlockShape = PlacedLayout;

}  // namespace rondo::internal

#endif
