/// @file
/// Canonical: the one tree that says how all reproducible algorithms associate.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_CANONICAL_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_CANONICAL_HPP

#include "collectives/cart_reduction/reach.hpp"
#include "collectives/cart_reduction/tree.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal::reduction {

/// The tree of a grid's shape, a neighborhood and a kind of reduction, whatever the vectors' length and whoever asks.
struct Canonical {
  Tree tree;
  Reach reach;
  /// The boundaries at which the stages of one dimension end, in order, the last one S; a dimension has one stage or
  /// several. There is only one where the tree walks along a line.
  std::vector<std::size_t> dimension_ends;
};

/// Dimension by dimension, in the order in which the tree has the smallest volume (order.hpp). In a reduce, moreover, a
/// dimension with many offsets has them written in digits, a stage each (digits.hpp), where that makes the volume
/// smaller. Neighbors that no process has, beyond the edges of a mesh, are left out.
[[nodiscard]] Canonical make_canonical(const NeighborhoodFacts& facts, Kind kind);
/// The same as a fact.
[[nodiscard]] const Canonical& canonical_of(const NeighborhoodFacts& facts, Kind kind);

}  // namespace rondo::internal::reduction

#endif
