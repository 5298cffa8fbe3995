// The C interface: the barrier.
#include <rondo/comm.h>

#include "collectives/faces/c/calls.hpp"

using namespace rondo::internal;

int Rondo_Barrier(MPI_Comm comm) { return run_dense_call(barrier_call("Rondo_Barrier"), comm); }

int Rondo_Ibarrier(MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(barrier_call("Rondo_Ibarrier"), comm, request);
}

int Rondo_Barrier_init(MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(barrier_call("Rondo_Barrier_init"), comm, info, request);
}
