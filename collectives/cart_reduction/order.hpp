/// @file
/// combining_order(): the order of dimensions in which a reduction's tree is smallest.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_ORDER_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_ORDER_HPP

#include "collectives/cart_reduction/tree.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <vector>

namespace rondo::internal::reduction {

/// Returns the order of dimensions, first stage first, in which the tree of a dimension-wise expansion has the smallest
/// volume. Of several such orders, it is the one closest to the order of ICPP 2019, section 3.2, backwards, because the
/// root is at the last stage. The volume of a stage depends on which dimensions come before it and not on their order,
/// in a reduce, too, so that the best orders follow from those of smaller sets, as in DimensionOrderSearch: O(2^a * t *
/// (a + log t)) for a dimensions along which something moves. There is no search if no order can be better than the
/// paper's order backwards, or if it would take many milliseconds.
[[nodiscard]] std::vector<int> combining_order(const NeighborhoodFacts& facts, Kind kind);

}  // namespace rondo::internal::reduction

#endif
