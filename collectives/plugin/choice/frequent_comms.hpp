/// @file
/// Which communicators make so many calls that it pays to make them ready for Rondo.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_FREQUENT_COMMS_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_FREQUENT_COMMS_HPP

#include <mpi.h>

namespace rondo::internal::plugin {

/// After so many calls, each a few microseconds faster, they would have paid for what Rondo makes for a communicator.
/// So a communicator that is made for one call does not pay for it, and one that is kept pays twice at most.
inline constexpr int kCallsThatPay = 16;

/// Counts one more call on a valid communicator. Returns whether it made kCallsThatPay before. The same on all ranks,
/// as collective calls are; a duplicate begins anew. Local. Throws Error and std::bad_alloc.
[[nodiscard]] bool is_frequent(MPI_Comm comm);

}  // namespace rondo::internal::plugin

#endif
