/// @file
/// Of what a rank combines, how much comes from its own node.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_NEAR_CONTRIBUTIONS_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_NEAR_CONTRIBUTIONS_HPP

#include "collectives/cart_reduction/tree.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstdint>

namespace rondo::internal::reduction {

/// How many vectors come from sources on the node where each comes straight from its source, as on a rank that has all
/// sources: those of one process come once in a reduce, and each by itself in a scatter-reduce. Its own do not count.
[[nodiscard]] std::int64_t near_contributions(const NeighborhoodFacts& facts, Kind kind, const NearOffsets* near);

}  // namespace rondo::internal::reduction

#endif
