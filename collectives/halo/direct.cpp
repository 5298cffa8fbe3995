// Direct halo exchange: each face, edge and corner comes straight from its owner (ICPP 2019, section 2.1, listing 3,
// with all exchanges in flight; EuroMPI 2015, section 7.3). Unlike there, the exchanged parts are disjoint: corners of
// faces that lie in the halo of a diagonal neighbor come from that neighbor only.
#include "collectives/halo/algorithms.hpp"

namespace rondo::internal::halo {

Expansion direct(const Grid& grid, const Shape& shape, Messages messages) {
  std::vector<std::vector<int>> stages;
  if (std::vector<int> axes = exchanged_axes(grid, shape); !axes.empty()) stages.push_back(std::move(axes));
  Expansion expansion = expand(grid, shape, stages, Timing::by_hops, messages);
  expansion.name = messages == Messages::apart ? "direct" : "coalesced";
  return expansion;
}

}  // namespace rondo::internal::halo
