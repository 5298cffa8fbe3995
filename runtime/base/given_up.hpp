/// @file
/// Communicators on which a wait for the other ranks was given up.
#ifndef RONDO_RUNTIME_BASE_GIVEN_UP_HPP
#define RONDO_RUNTIME_BASE_GIVEN_UP_HPP

#include <mpi.h>

namespace rondo::internal {

/// Ranks do not know of each other which collectives they have begun on `comm`, a user's or a private one: nothing that
/// must be in step is begun there any more, on this rank. A duplicate of it begins anew.
void give_up_on(MPI_Comm comm) noexcept;
/// Throws Error, MPI_ERR_OTHER, where that was done.
void refuse_given_up(MPI_Comm comm);

}  // namespace rondo::internal

#endif
