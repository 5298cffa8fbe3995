#include "tests/support/faults/refusing_mpi.hpp"

#include <mpi.h>

using namespace rondo::internal;

namespace {

bool is_refused() { return test::posts_to_refuse > 0 && test::posts_to_refuse-- > 0; }

}  // namespace

extern "C" {
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++test::sent_over_mpi;
  return is_refused() ? MPI_ERR_OTHER : PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return is_refused() ? MPI_ERR_OTHER : PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
}
int MPI_Start(MPI_Request* request) {
  ++test::sent_over_mpi;
  return is_refused() ? MPI_ERR_OTHER : PMPI_Start(request);
}
int MPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  return test::reductions_fail ? MPI_ERR_OP : PMPI_Reduce_local(in, inout, count, type, op);
}
}
