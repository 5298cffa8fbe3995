/// @file
/// What a reduction lowering is given.
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

/// A neighborhood reduction on one rank (EuroMPI 2015, section 4): the vectors that come from all sources are combined.
/// Who has no source that exists keeps its receive buffer as it is.
struct Problem {
  const Grid& grid;
  const Canonical& canonical;  ///< of the grid, the neighborhood and the kind
  Kind kind;
  /// One vector in a reduce, t in a scatter-reduce, of which those to targets that do not exist are not looked at. All
  /// have the bytes of an operand, in layouts of their own.
  std::span<const BlockShape> send;
  /// An operand.
  BlockShape recv;
  /// Of vectors of the same number of elements on all ranks.
  std::shared_ptr<const Reduction> reduction;
  const CostModel& costs;
  int ports = 0;                        ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;    ///< which messages stay on a node; null: none are known to
  std::int64_t near_contributions = 0;  ///< so many of the direct algorithm's do
  const NodeMembers* nodes = nullptr;   ///< null where none has several ranks, there is but one, or nobody knows
  bool uniform = true;                  ///< for choose(): all ranks make the same predictions
};

}  // namespace rondo::internal::reduction

#endif
