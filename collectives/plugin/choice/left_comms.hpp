/// @file
/// The communicators whose calls are all left to MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_LEFT_COMMS_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_LEFT_COMMS_HPP

#include <mpi.h>

namespace rondo::internal::plugin {

/// Returns whether all processes of a communicator are in this MPI_COMM_WORLD: nothing is agreed on with others.
[[nodiscard]] bool is_of_this_world(MPI_Comm comm);
/// Makes is_foreign() check communicators from now on. To be called by all processes that are to have a foreign one.
void expect_foreign_communicators();
/// Returns whether a communicator has processes of another MPI_COMM_WORLD, if such communicators are expected.
[[nodiscard]] bool is_foreign(MPI_Comm comm);

/// Leaves all calls on a communicator to MPI for as long as it lives, because Rondo has no private communicator for it.
/// The log says `why` for the first such communicator. Call on all its ranks. Local.
void leave_comm_to_mpi(MPI_Comm comm, const char* why) noexcept;
/// Returns why all calls on a valid communicator are left to MPI, the same on all its ranks, or null. Local.
[[nodiscard]] const char* reason_to_leave_comm(MPI_Comm comm);

}  // namespace rondo::internal::plugin

#endif
