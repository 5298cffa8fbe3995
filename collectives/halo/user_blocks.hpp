/// @file
/// user_blocks(): the blocks that users see of a halo exchange, whose arguments describe regions.
#ifndef RONDO_COLLECTIVES_HALO_USER_BLOCKS_HPP
#define RONDO_COLLECTIVES_HALO_USER_BLOCKS_HPP

#include "collectives/halo/bundle.hpp"
#include "runtime/execution/block_watch.hpp"

#include <memory>

namespace rondo::internal::halo {

/// Returns a block for each direction along the N axes that have a halo, in the order of moore(N, 1). The received
/// block is the part of the halos in that direction; the sent block is the part that the neighbor there has in its
/// halo. Directions over the edge of a mesh have blocks, too, which no task touches.
[[nodiscard]] UserBlocks user_blocks(std::shared_ptr<const Bundle> arrays);

}  // namespace rondo::internal::halo

#endif
