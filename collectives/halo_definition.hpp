/// @file
/// The definition of a halo exchange, for the schedule checker.
#ifndef RONDO_COLLECTIVES_HALO_DEFINITION_HPP
#define RONDO_COLLECTIVES_HALO_DEFINITION_HPP

#include "collectives/grid.hpp"
#include "collectives/halo_shape.hpp"
#include "runtime/schedule_checker.hpp"

#include <span>
#include <vector>

namespace rondo {

/// Element by element: each of a halo's that belongs to the stencil becomes what its owner, if there is one, has
/// inside. `shapes`: of the arrays of all ranks. Throws Error, MPI_ERR_TRUNCATE, naming the ranks, where an owner does
/// not have such an element inside, or has one of another size.
[[nodiscard]] std::vector<Placement> halo_definition(const Grid& grid, std::span<const HaloShape* const> shapes);

}  // namespace rondo

#endif
