/// @file
/// The definition of a halo exchange, for the schedule checker.
#ifndef RONDO_COLLECTIVES_PROOF_HALO_DEFINITION_HPP
#define RONDO_COLLECTIVES_PROOF_HALO_DEFINITION_HPP

#include "collectives/halo/bundle.hpp"
#include "collectives/topology/grid.hpp"
#include "runtime/check/schedule_checker.hpp"

#include <span>
#include <vector>

namespace rondo::internal {

/// Element by element: each of a halo's that belongs to the stencil becomes what its owner, if there is one, has
/// inside. `shapes`: of the arrays of all ranks. Throws Error, MPI_ERR_TRUNCATE, naming the ranks, where an owner does
/// not have such an element inside, or has one of another size.
[[nodiscard]] std::vector<Placement> halo_definition(const Grid& grid, std::span<const halo::Shape* const> shapes);

/// The same of several arrays on each rank, as many on all. Offsets are those of the bundles.
[[nodiscard]] std::vector<Placement> halo_definition(const Grid& grid, std::span<const halo::Bundle* const> bundles);

}  // namespace rondo::internal

#endif
