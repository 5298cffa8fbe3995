/// @file
/// Problem: the input of a halo exchange's lowering.
#ifndef RONDO_COLLECTIVES_HALO_PROBLEM_HPP
#define RONDO_COLLECTIVES_HALO_PROBLEM_HPP

#include "collectives/halo/bundle.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace rondo::internal::halo {

/// A function that returns how many elements an array has inside along an axis, on processes with this coordinate along
/// the axis. Along axes that are not the grid's, which are alike on all processes, the coordinate is 0.
using InsideOfAll = std::function<std::int64_t(std::size_t array, int axis, int coordinate)>;

/// A halo exchange on one rank: arrays whose first dimensions are those of the grid. Afterwards each element of a halo
/// that belongs to the stencil, and whose owner exists, has the value that its owner has inside.
///
/// Ranks agree on the number of arrays, and for each of them on depths, stencil, storage order and the size of an
/// element. Along each dimension processes with the same coordinate have equally many elements inside.
struct Problem {
  static constexpr bool uniform = true;
  const Grid& grid;
  const Bundle& arrays;   ///< of this rank
  const Bundle& typical;  ///< the arrays that all ranks assume when they choose an algorithm
  const CostModel& costs;
  int ports = 0;                        ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;    ///< which messages stay on a node; null: none are known to
  const NodeMembers* nodes = nullptr;   ///< null if no node has several ranks, there is only one node, or nobody knows
  const InsideOfAll* inside = nullptr;  ///< null if ranks did not tell each other
};

}  // namespace rondo::internal::halo

#endif
