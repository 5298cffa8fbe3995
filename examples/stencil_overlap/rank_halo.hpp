/// @file
/// The halo of a whole rank, in one exchange.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_RANK_HALO_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_RANK_HALO_HPP

#include "../stencil/domain.hpp"
#include "tiling.hpp"

#include <rondo/rondo.hpp>

#include <array>
#include <cstddef>
#include <optional>

namespace stencil {

/// Persistent exchanges of the rank, one for either state.
class RankHalo {
 public:
  /// Collective over the torus.
  RankHalo(const rondo::CartComm& torus, Domain& domain, rondo::ProgressMode progress);

  [[nodiscard]] rondo::Request& of(int which) { return requests_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] rondo::ProgressMode progress() const { return requests_[0].progress(); }
  /// Which halo a block of an exchange is; nothing for corners, which have no bytes here.
  [[nodiscard]] std::optional<Side> side_of(int block) const;

 private:
  rondo::Neighborhood directions_ = rondo::moore(2, 1);  // what the blocks of a halo exchange are numbered by
  std::array<rondo::Request, 2> requests_;
};

}  // namespace stencil

#endif
