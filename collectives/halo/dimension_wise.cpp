// Dimension-wise halo exchange: faces carry the corners along (ICPP 2019, section 3.4, last paragraph, for overlapping
// blocks; the path expansion is that of section 3.1). The phase of a dimension moves slabs that reach over the halos
// that earlier phases have filled, so that an edge or corner travels within the faces, and only once: N phases of two
// messages. Of a star, only elements that a later receiver needs are passed on.
#include "collectives/halo/algorithms.hpp"

namespace rondo::internal::halo {

Expansion dimension_wise(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages) {
  Expansion expansion = expand(grid, shape, stages, Timing::by_stage, Messages::coalesced);
  expansion.name = stage_name("dimension-wise", stages);
  return expansion;
}

}  // namespace rondo::internal::halo
