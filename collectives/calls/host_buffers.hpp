/// @file
/// Checks that a call's buffers are in the host's memory.
#ifndef RONDO_COLLECTIVES_CALLS_HOST_BUFFERS_HPP
#define RONDO_COLLECTIVES_CALLS_HOST_BUFFERS_HPP

#include "collectives/arguments/checked_call.hpp"
#include "collectives/arguments/halo_call.hpp"

namespace rondo::internal {

// These functions throw Error (MPI_ERR_BUFFER) that names the buffer if a buffer is known not to be in the host's
// memory: see check_host_memory(). They are for _init calls, and for others whose schedule is not known yet.

void check_host_buffers(const CheckedCall& checked);
void check_host_buffers(const HaloCall& call);

}  // namespace rondo::internal

#endif
