/// @file
/// Problem: the input of a reduction lowering.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_PROBLEM_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_PROBLEM_HPP

#include "collectives/blocks/block_shape.hpp"
#include "collectives/cart_reduction/canonical.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/schedule/reduction.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace rondo::internal::reduction {

/// The arguments of a neighborhood reduction on one rank (EuroMPI 2015, section 4): the vectors from all sources are
/// combined. A rank that has no source that exists keeps its receive buffer as it is.
struct Problem {
  const Grid& grid;
  const Canonical& canonical;  ///< for the grid, the neighborhood and the kind
  Kind kind;
  /// One vector in a reduce; t vectors in a scatter-reduce, of which those to targets that do not exist are ignored.
  /// Each has as many bytes as an operand, but its own layout.
  std::span<const BlockShape> send;
  /// The block that receives the result, with the layout of an operand.
  BlockShape recv;
  /// The reduction, of vectors that have the same number of elements on all ranks.
  std::shared_ptr<const Reduction> reduction;
  const CostModel& costs;
  int ports = 0;                        ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;    ///< messages that stay on a node; null if none is known to stay
  std::int64_t near_contributions = 0;  ///< number of the direct algorithm's messages that stay on a node
  const NodeMembers* nodes = nullptr;   ///< null if there is one node, none has several ranks, or nodes are unknown
  bool uniform = true;                  ///< for choose(): all ranks make the same predictions
};

}  // namespace rondo::internal::reduction

#endif
