/// @file
/// Canonical: the reduction tree that says in which order all reproducible algorithms combine their operands.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_CANONICAL_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_CANONICAL_HPP

#include "collectives/cart_reduction/reach.hpp"
#include "collectives/cart_reduction/tree.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal::reduction {

/// The canonical reduction tree for a grid's shape, a neighborhood and a kind of reduction, the same for all vector
/// lengths and on all ranks.
struct Canonical {
  Tree tree;
  Reach reach;
  /// The boundaries at which the stages of one dimension end, in order, the last one S. A dimension has one stage or
  /// several. There is only one entry if the tree walks along a line.
  std::vector<std::size_t> dimension_ends;
};

/// Returns the canonical tree: dimension by dimension, in the order in which the tree has the smallest volume
/// (order.hpp). In a reduce, moreover, the offsets of a dimension with many of them are written in digits, one stage
/// each (digits.hpp), if that makes the volume smaller; so are all offsets along one line, if they lie on one.
/// Neighbors that no process has, beyond the edges of a mesh, are left out.
[[nodiscard]] Canonical make_canonical(const NeighborhoodFacts& facts, Kind kind);
/// Returns the canonical tree for `facts`. The first call makes it by make_canonical() and keeps it in `facts`.
[[nodiscard]] const Canonical& canonical_of(const NeighborhoodFacts& facts, Kind kind);

}  // namespace rondo::internal::reduction

#endif
