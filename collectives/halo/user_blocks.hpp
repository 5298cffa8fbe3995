/// @file
/// What is a block of a halo exchange, which is given as a region.
#ifndef RONDO_COLLECTIVES_HALO_USER_BLOCKS_HPP
#define RONDO_COLLECTIVES_HALO_USER_BLOCKS_HPP

#include "collectives/halo/bundle.hpp"
#include "runtime/execution/block_watch.hpp"

#include <memory>

namespace rondo::internal::halo {

/// A block for each direction along the N axes that have a halo, in the order of moore(N, 1). The one received is the
/// part of the halos that lies in that direction, the one sent what the neighbor there has in its halo; on the edge of
/// a mesh too, where no task touches them.
[[nodiscard]] UserBlocks user_blocks(std::shared_ptr<const Bundle> arrays);

}  // namespace rondo::internal::halo

#endif
