/// @file
/// What a halo exchange is lowered from.
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

/// How many elements an array has inside along an axis, on processes with a coordinate there; along axes that are not
/// the grid's, which all processes have alike, the coordinate is 0.
using InsideOfAll = std::function<std::int64_t(std::size_t array, int axis, int coordinate)>;

/// A halo exchange on one rank: arrays whose first dimensions are those of the grid. After it each element of a halo
/// that belongs to the stencil, and whose owner exists, is as that process has it inside.
///
/// Ranks agree on how many arrays there are, and of each on depths, stencil, storage order and the size of an element;
/// along each dimension processes with the same coordinate have as many elements inside.
struct Problem {
  static constexpr bool uniform = true;
  const Grid& grid;
  const Bundle& arrays;   ///< of this rank
  const Bundle& typical;  ///< those that all ranks take for theirs when they choose an algorithm
  const CostModel& costs;
  int ports = 0;                        ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;    ///< which messages stay on a node; null: none are known to
  const NodeMembers* nodes = nullptr;   ///< null where none has several ranks, there is but one, or nobody knows
  const InsideOfAll* inside = nullptr;  ///< null where ranks did not tell each other
};

}  // namespace rondo::internal::halo

#endif
