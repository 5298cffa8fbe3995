/// @file
/// RONDO_CHECK: what an _init call of a Cartesian collective made is checked on all ranks together before anybody may
/// start it.
#ifndef RONDO_COLLECTIVES_CHECK_CART_AT_INIT_HPP
#define RONDO_COLLECTIVES_CHECK_CART_AT_INIT_HPP

#include <mpi.h>

#include "collectives/checked_call.hpp"
#include "runtime/schedule.hpp"

namespace rondo {

/// Looks for bytes that are received twice, and gathers the schedules and the blocks of all ranks on rank 0, which
/// looks whether blocks are as long, and of the same basic types, where they are received as where they are sent, and
/// runs the schedule checker. Collective over `comm`, blocking; time and memory grow with the whole of the operation,
/// so it is for finding errors. Throws Error on all ranks alike: MPI_ERR_BUFFER for bytes in two receive blocks or
/// twice in one, MPI_ERR_TRUNCATE or MPI_ERR_TYPE for blocks that do not fit each other, MPI_ERR_INTERN with the
/// checker's story for a wrong schedule.
void check_cart_at_init(const Schedule& schedule, const CheckedCall& checked, MPI_Comm comm);

}  // namespace rondo

#endif
