#include "collectives/cart_reduction/near_contributions.hpp"

#include <algorithm>

namespace rondo::internal::reduction {

std::int64_t near_contributions(const NeighborhoodFacts& facts, Kind kind, const NearOffsets* near) {
  const FoldedNeighborhood& folded = kind == Kind::reduce ? facts.distinct() : facts.folded();
  return std::ranges::count_if(folded.vector_of(), [&](std::uint32_t v) {
    const bool moves = std::ranges::any_of(folded[v], [](int residue) { return residue != 0; });
    return moves && facts.grid().reaches(folded[v]) && nearness_of(near, folded[v]) == Nearness::near;
  });
}

}  // namespace rondo::internal::reduction
