/// @file
/// Functions that mark, and refuse, communicators on which a wait for the other ranks was given up.
#ifndef RONDO_RUNTIME_BASE_GIVEN_UP_HPP
#define RONDO_RUNTIME_BASE_GIVEN_UP_HPP

#include <mpi.h>

namespace rondo::internal {

/// Marks `comm`, a user's communicator or a private one, as given up: ranks no longer know of each other which
/// collectives they have begun on it, so this rank begins nothing on it any more that must be in step. A duplicate of
/// `comm` is not marked.
void give_up_on(MPI_Comm comm) noexcept;
/// Throws Error (MPI_ERR_OTHER) if give_up_on() has marked `comm`.
void refuse_given_up(MPI_Comm comm);

}  // namespace rondo::internal

#endif
