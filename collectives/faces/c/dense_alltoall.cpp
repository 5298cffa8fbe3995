// The C interface: the dense alltoall.
#include <rondo/comm.h>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/faces/c/calls.hpp"
#include "collectives/faces/c/errors.hpp"

using namespace rondo;
using namespace rondo::internal;

int Rondo_Comm_prepare(MPI_Comm comm, MPI_Info info) {
  return guarded(comm, "Rondo_Comm_prepare", [&] { DenseContext::prepare(comm, {.info = info}); });
}

int Rondo_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(alltoall_call("Rondo_Alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                        comm);
}

int Rondo_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(alltoall_call("Rondo_Ialltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                          comm, request);
}

int Rondo_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(
      alltoall_call("Rondo_Alltoall_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm, info,
      request);
}

int Rondo_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(
      alltoallv_call("Rondo_Alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
      comm);
}

int Rondo_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                     Rondo_Request* request) {
  return start_dense_call(alltoallv_call("Rondo_Ialltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                         recvcounts, rdispls, recvtype),
                          comm, request);
}

int Rondo_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(alltoallv_call("Rondo_Alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                        recvcounts, rdispls, recvtype),
                         comm, info, request);
}

int Rondo_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                    void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                    MPI_Comm comm) {
  return run_dense_call(alltoallw_call("Rondo_Alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                       rdispls, recvtypes),
                        comm);
}

int Rondo_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                     void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(alltoallw_call("Rondo_Ialltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                         recvcounts, rdispls, recvtypes),
                          comm, request);
}

int Rondo_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(alltoallw_call("Rondo_Alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                        recvcounts, rdispls, recvtypes),
                         comm, info, request);
}
