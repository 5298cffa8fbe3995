/* A tool of MPI's profiling interface: counts calls of some functions, for tool_behind.c. */
#include "tool.h"

#include <mpi.h>

static struct seen_calls seen;

struct seen_calls calls_seen_by_tool(void) {
  return seen;
}

int MPI_Init(int* argc, char*** argv) {
  seen.init++;
  return PMPI_Init(argc, argv);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  seen.comm_dup++;
  return PMPI_Comm_dup(comm, copy);
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  int mine = 1, all = 0;
  seen.alltoall++;
  /* As tools do, from inside: a collective, and a request of their own. */
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  seen.ialltoall++;
  return PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  seen.allreduce++;
  return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  seen.wait++;
  return PMPI_Wait(request, status);
}
