/// @file
/// near_contributions(): the number of vectors that a rank combines from other ranks of its node.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_NEAR_CONTRIBUTIONS_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_NEAR_CONTRIBUTIONS_HPP

#include "collectives/cart_reduction/tree.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstdint>

namespace rondo::internal::reduction {

/// Returns how many vectors come from sources on the same node if each comes straight from its source, for a rank that
/// has all sources. In a reduce, the vectors of one process come once; in a scatter-reduce, each by itself. Own ones do
/// not count.
[[nodiscard]] std::int64_t near_contributions(const NeighborhoodFacts& facts, Kind kind, const NearOffsets* near);

}  // namespace rondo::internal::reduction

#endif
