/// @file
/// The part of a rank's halo that lies beside one tile, exchanged by the tile itself.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_TILE_HALO_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_TILE_HALO_HPP

#include "../stencil/domain.hpp"
#include "tiling.hpp"

#include <rondo/rondo.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace stencil {

/// Persistent exchanges of one tile, one for either state. Fills the halo beside the tile; what it sends lies at the
/// rank's opposite end, beside another tile, in the same rows or columns: it may be started when all tiles of the rank
/// have been computed. All ranks have the same tiles, and may start their exchanges in any order.
class TileHalo {
 public:
  /// Collective over the torus.
  TileHalo(const rondo::CartComm& torus, Domain& domain, const TileCells& tile, rondo::ProgressMode progress);

  /// The sides on which the tile has a halo: block i of an exchange is the halo on side i of these. Empty for a tile
  /// within the rank, which has no exchange.
  [[nodiscard]] std::span<const Side> sides() const { return sides_; }
  [[nodiscard]] rondo::Request& of(int which) { return requests_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const rondo::Request& of(int which) const { return requests_[static_cast<std::size_t>(which)]; }

 private:
  std::vector<Side> sides_;
  std::array<rondo::Request, 2> requests_;
};

}  // namespace stencil

#endif
