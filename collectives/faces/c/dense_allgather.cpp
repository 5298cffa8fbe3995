// The C interface: dense allgathers.
#include <rondo/comm.h>
#include <rondo/large_counts.h>

#include "collectives/faces/c/calls.hpp"

using namespace rondo::internal;

int Rondo_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(allgather_call("Rondo_Allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                        comm);
}

int Rondo_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                     const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(
      allgatherv_call("Rondo_Allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), comm);
}

int Rondo_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(
      allgather_call("Rondo_Iallgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm, request);
}

int Rondo_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                      const int displs[], MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(
      allgatherv_call("Rondo_Iallgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), comm,
      request);
}

int Rondo_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(
      allgather_call("Rondo_Allgather_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm, info,
      request);
}

int Rondo_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Info info, Rondo_Request* request) {
  return init_dense_call(
      allgatherv_call("Rondo_Allgatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      comm, info, request);
}

// Functions with counts of 64 bits.

int Rondo_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(allgather_call("Rondo_Allgather_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                        comm);
}

int Rondo_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(
      allgatherv_call("Rondo_Allgatherv_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), comm);
}

int Rondo_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(
      allgather_call("Rondo_Iallgather_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm, request);
}

int Rondo_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                        Rondo_Request* request) {
  return start_dense_call(
      allgatherv_call("Rondo_Iallgatherv_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), comm,
      request);
}

int Rondo_Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                           Rondo_Request* request) {
  return init_dense_call(
      allgather_call("Rondo_Allgather_init_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm, info,
      request);
}

int Rondo_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Info info, Rondo_Request* request) {
  return init_dense_call(
      allgatherv_call("Rondo_Allgatherv_init_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      comm, info, request);
}
