#include "tests/support/faults/failing_mpi.hpp"

#include <mpi.h>

namespace rondo::internal::mpi_faults {

bool strikes(Call call) {
  if (!fault || fault->first != call || fault->second-- > 0) return false;
  if (for_good)
    fault->second = 0;
  else
    fault.reset();
  struck = true;
  return true;
}

namespace {

int posted(int code) {
  under_way += code == MPI_SUCCESS ? 1 : 0;
  return code;
}

}  // namespace

extern "C" {
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return strikes(Call::isend) ? MPI_ERR_OTHER : posted(PMPI_Isend(buffer, count, type, peer, tag, comm, request));
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return strikes(Call::irecv) ? MPI_ERR_OTHER : posted(PMPI_Irecv(buffer, count, type, peer, tag, comm, request));
}
int MPI_Start(MPI_Request* request) { return strikes(Call::start) ? MPI_ERR_OTHER : posted(PMPI_Start(request)); }
int MPI_Test(MPI_Request* request, int* complete, MPI_Status* status) {
  if (held_back) {
    *complete = 0;
    return MPI_SUCCESS;
  }
  return strikes(Call::test) ? MPI_ERR_OTHER : PMPI_Test(request, complete, status);
}
int MPI_Reduce_local(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op) {
  return strikes(Call::reduce) ? MPI_ERR_OTHER : PMPI_Reduce_local(from, into, count, type, op);
}
int MPI_Comm_free(MPI_Comm* comm) {
  ++freed_comms;
  return PMPI_Comm_free(comm);
}
int MPI_Testall(int count, MPI_Request* requests, int* complete, MPI_Status* statuses) {
  if (count > 1 && strikes(Call::testall_in_part)) {  // one has failed, and the others are not complete
    PMPI_Wait(&requests[0], &statuses[0]);
    --under_way;
    for (int i = 0; i < count; ++i) statuses[i].MPI_ERROR = i == 0 ? MPI_ERR_OTHER : MPI_ERR_PENDING;
    *complete = 0;
    return MPI_ERR_IN_STATUS;
  }
  if (strikes(Call::testall)) return MPI_ERR_OTHER;
  const int code = PMPI_Testall(count, requests, complete, statuses);
  if (code == MPI_SUCCESS && *complete != 0) under_way -= count;
  return code;
}
int MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  if (strikes(Call::testsome)) return MPI_ERR_OTHER;
  const int code = PMPI_Testsome(count, requests, done, indices, statuses);
  if (*done != MPI_UNDEFINED) under_way -= *done;
  return code;
}
}

}  // namespace rondo::internal::mpi_faults
