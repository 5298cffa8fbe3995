/// @file
/// CanonicalReduction: the one tree that says how all reproducible algorithms associate.
#ifndef RONDO_COLLECTIVES_CANONICAL_REDUCTION_HPP
#define RONDO_COLLECTIVES_CANONICAL_REDUCTION_HPP

#include <rondo/neighborhood.hpp>

#include "collectives/grid.hpp"
#include "collectives/reduction_reach.hpp"
#include "collectives/reduction_tree.hpp"

#include <cstddef>
#include <vector>

namespace rondo {

/// The tree of a grid's shape, a neighborhood and a kind of reduction, whatever the vectors' length and whoever asks.
struct CanonicalReduction {
  ReductionTree tree;
  ReductionReach reach;
  /// The boundaries at which the stages of one dimension end, in order, the last one S; a dimension has one stage or
  /// several. There is only one where the tree walks along a line.
  std::vector<std::size_t> dimension_ends;
};

/// Dimension by dimension, in the order in which the tree has the smallest volume (reduction_order.hpp). In a reduce,
/// moreover, a dimension with many offsets has them written in digits, a stage each (reduction_digits.hpp), where that
/// makes the volume smaller. Neighbors that no process has, beyond the edges of a mesh, are left out.
[[nodiscard]] CanonicalReduction canonical_reduction(const Grid& grid, const Neighborhood& neighborhood,
                                                     ReductionKind kind);

}  // namespace rondo

#endif
