/// @file
/// Facts that the plug-in remembers of communicators that are not ready for Rondo: how many calls they made, because it
/// pays to make them ready after some, and whether reductions were left to MPI that must not change their results.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_FREQUENT_COMMS_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_FREQUENT_COMMS_HPP

#include <mpi.h>

namespace rondo::internal::plugin {

/// Number of calls, each a few microseconds faster, that would have paid for what Rondo makes for a communicator. So a
/// communicator that is made for one call does not pay for it, and one that is kept pays at most twice.
inline constexpr int kCallsThatPay = 16;

/// Counts one more call on a valid communicator. Returns whether the communicator made kCallsThatPay calls before. The
/// same on all ranks, because calls are collective; a duplicate begins anew. Local. Throws Error and std::bad_alloc.
[[nodiscard]] bool is_frequent(MPI_Comm comm);

/// Remembers that a reduction whose result depends on the order of operands was left to MPI on a valid communicator.
/// From then on all such reductions on it are MPI's, even when the communicator is ready for Rondo, because the same
/// call must not change its result in the middle of a program. The same on all ranks, because calls are collective; a
/// duplicate begins anew. Local. Throws Error and std::bad_alloc.
void leave_inexact(MPI_Comm comm);
/// Returns whether leave_inexact() was called for the communicator. Local. Throws Error.
[[nodiscard]] bool leaves_inexact(MPI_Comm comm);

}  // namespace rondo::internal::plugin

#endif
