/// @file
/// check_halo_at_init(): RONDO_CHECK for halo exchanges.
#ifndef RONDO_COLLECTIVES_PROOF_CHECK_HALO_AT_INIT_HPP
#define RONDO_COLLECTIVES_PROOF_CHECK_HALO_AT_INIT_HPP

#include <mpi.h>

#include "collectives/arguments/halo_call.hpp"
#include "collectives/halo/bundle.hpp"
#include "collectives/topology/grid.hpp"
#include "runtime/schedule/schedule.hpp"

namespace rondo::internal {

/// Checks a halo exchange: gathers the schedules and arrays of all ranks on rank 0, which checks whether elements share
/// bytes and are of the same basic types on all ranks, and runs the schedule checker. Collective over `comm`, blocking.
/// Throws Error on all ranks alike: MPI_ERR_TYPE for elements, MPI_ERR_INTERN with the checker's finding for a wrong
/// schedule.
void check_halo_at_init(const Schedule& schedule, const HaloCall& call, const halo::Bundle& arrays, const Grid& grid,
                        MPI_Comm comm);

}  // namespace rondo::internal

#endif
