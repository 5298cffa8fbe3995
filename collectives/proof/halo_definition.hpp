/// @file
/// halo_definition(): what a halo exchange must do by its definition, for the schedule checker.
#ifndef RONDO_COLLECTIVES_PROOF_HALO_DEFINITION_HPP
#define RONDO_COLLECTIVES_PROOF_HALO_DEFINITION_HPP

#include "collectives/halo/bundle.hpp"
#include "collectives/topology/grid.hpp"
#include "runtime/check/schedule_checker.hpp"

#include <span>
#include <vector>

namespace rondo::internal {

/// Returns the definition of a halo exchange element by element: each element of a halo that belongs to the stencil
/// becomes the inside element of its owner, if there is one. `shapes`: those of the arrays of all ranks. Throws Error
/// (MPI_ERR_TRUNCATE), naming the ranks, if an owner does not have such an element inside, or has one of another size.
[[nodiscard]] std::vector<Placement> halo_definition(const Grid& grid, std::span<const halo::Shape* const> shapes);

/// Returns the definition for several arrays on each rank, equally many on all. Offsets are those of the bundles.
[[nodiscard]] std::vector<Placement> halo_definition(const Grid& grid, std::span<const halo::Bundle* const> bundles);

}  // namespace rondo::internal

#endif
