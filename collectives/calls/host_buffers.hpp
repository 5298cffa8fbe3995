/// @file
/// Whether a call's buffers are the host's.
#ifndef RONDO_COLLECTIVES_CALLS_HOST_BUFFERS_HPP
#define RONDO_COLLECTIVES_CALLS_HOST_BUFFERS_HPP

#include "collectives/arguments/checked_call.hpp"
#include "collectives/arguments/halo_call.hpp"

namespace rondo::internal {

// Where that can be told they throw Error, MPI_ERR_BUFFER, that names the buffer: see check_host_memory(). For _init
// calls, and for others whose schedule is not known yet.

void check_host_buffers(const CheckedCall& checked);
void check_host_buffers(const HaloCall& call);

}  // namespace rondo::internal

#endif
