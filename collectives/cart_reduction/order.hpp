/// @file
/// The order of dimensions in which a reduction's tree is smallest.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_ORDER_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_ORDER_HPP

#include "collectives/cart_reduction/tree.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <vector>

namespace rondo::internal::reduction {

/// The order of dimensions, first stage first, in which the tree of a dimension-wise expansion has the smallest volume;
/// where there are several, the one closest to the order of ICPP 2019, section 3.2, backwards: the root is at the last
/// stage. What a stage sends depends on which dimensions come before it and not on their order, in a reduce, too, so
/// that the best orders follow from those of smaller sets, as in DimensionOrderSearch: O(2^a * t * (a + log t)) for a
/// dimensions along which something moves. The paper's order backwards is not searched any further when no order can
/// be better, nor where that would take many milliseconds.
[[nodiscard]] std::vector<int> combining_order(const NeighborhoodFacts& facts, Kind kind);

}  // namespace rondo::internal::reduction

#endif
