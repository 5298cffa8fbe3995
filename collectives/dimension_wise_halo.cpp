// Dimension-wise halo exchange: faces carry the corners along (ICPP 2019, section 3.4, last paragraph, for overlapping
// blocks; the path expansion is that of section 3.1). The phase of a dimension moves slabs that reach over the halos
// which earlier phases have filled, so that an edge or corner travels within the faces, and once: N phases of two
// messages. Of a star only those elements are passed on that a later receiver needs.
#include "collectives/halo_algorithms.hpp"

namespace rondo {

HaloExpansion dimension_wise_halo(const Grid& grid, const HaloShape& shape, std::span<const std::vector<int>> stages) {
  HaloExpansion expansion = expand_halo(grid, shape, stages, HaloTiming::by_stage, HaloMessages::coalesced);
  expansion.name = stage_name("dimension-wise", stages);
  return expansion;
}

}  // namespace rondo
