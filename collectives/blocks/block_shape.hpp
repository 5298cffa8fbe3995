/// @file
/// BlockShape: where one block of the user's lies.
#ifndef RONDO_COLLECTIVES_BLOCKS_BLOCK_SHAPE_HPP
#define RONDO_COLLECTIVES_BLOCKS_BLOCK_SHAPE_HPP

#include "datatypes/layout/layout.hpp"

#include <cstdint>
#include <limits>

namespace rondo::internal {

/// One block of the user's: its layout, displaced from the buffer.
using BlockShape = PlacedLayout;

/// Most bytes that travel as one message of several blocks: MPI's counts are ints.
inline constexpr std::int64_t kLongestMessage = std::numeric_limits<int>::max();

}  // namespace rondo::internal

#endif
