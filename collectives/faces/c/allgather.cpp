// The C interface: allgather, under the names of both papers.
#include <rondo/cart.h>

#include "collectives/faces/c/calls.hpp"

using namespace rondo;
using namespace rondo::internal;

int Rondo_Cart_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm cartcomm) {
  return run_call(allgather_call("Rondo_Cart_allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                  cartcomm);
}

int Rondo_Icart_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(allgather_call("Rondo_Icart_allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                    cartcomm, request);
}

int Rondo_Cart_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                              MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(
      allgather_call("Rondo_Cart_allgather_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), cartcomm,
      info, request);
}

int Rondo_Iso_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm) {
  return run_call(
      allgather_call("Rondo_Iso_neighbor_allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      isocomm);
}

int Rondo_Iiso_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, Rondo_Request* request) {
  return start_call(
      allgather_call("Rondo_Iiso_neighbor_allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      isocomm, request);
}

int Rondo_Iso_neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, MPI_Info info,
                                      Rondo_Request* request) {
  return init_call(
      allgather_call("Rondo_Iso_neighbor_allgather_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      isocomm, info, request);
}

int Rondo_Cart_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm cartcomm) {
  return run_call(
      allgatherv_call("Rondo_Cart_allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      cartcomm);
}

int Rondo_Icart_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm cartcomm,
                           Rondo_Request* request) {
  return start_call(
      allgatherv_call("Rondo_Icart_allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      cartcomm, request);
}

int Rondo_Cart_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm cartcomm,
                               MPI_Info info, Rondo_Request* request) {
  return init_call(allgatherv_call("Rondo_Cart_allgatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                   displs, recvtype),
                   cartcomm, info, request);
}

int Rondo_Iso_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm isocomm) {
  return run_call(allgatherv_call("Rondo_Iso_neighbor_allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                  displs, recvtype),
                  isocomm);
}

int Rondo_Iiso_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm isocomm,
                                   Rondo_Request* request) {
  return start_call(allgatherv_call("Rondo_Iiso_neighbor_allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                    displs, recvtype),
                    isocomm, request);
}

int Rondo_Iso_neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                       MPI_Comm isocomm, MPI_Info info, Rondo_Request* request) {
  return init_call(allgatherv_call("Rondo_Iso_neighbor_allgatherv_init", sendbuf, sendcount, sendtype, recvbuf,
                                   recvcounts, displs, recvtype),
                   isocomm, info, request);
}

int Rondo_Cart_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                          MPI_Comm cartcomm) {
  return run_call(
      allgatherw_call("Rondo_Cart_allgatherw", sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtypes),
      cartcomm);
}

int Rondo_Icart_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                           MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(
      allgatherw_call("Rondo_Icart_allgatherw", sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtypes),
      cartcomm, request);
}

int Rondo_Cart_allgatherw_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                               MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(allgatherw_call("Rondo_Cart_allgatherw_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                   rdispls, recvtypes),
                   cartcomm, info, request);
}

int Rondo_Iso_neighbor_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                  MPI_Comm isocomm) {
  return run_call(allgatherw_call("Rondo_Iso_neighbor_allgatherw", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                  rdispls, recvtypes),
                  isocomm);
}

int Rondo_Iiso_neighbor_allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                   MPI_Comm isocomm, Rondo_Request* request) {
  return start_call(allgatherw_call("Rondo_Iiso_neighbor_allgatherw", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                    rdispls, recvtypes),
                    isocomm, request);
}

int Rondo_Iso_neighbor_allgatherw_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm isocomm, MPI_Info info, Rondo_Request* request) {
  return init_call(allgatherw_call("Rondo_Iso_neighbor_allgatherw_init", sendbuf, sendcount, sendtype, recvbuf,
                                   recvcounts, rdispls, recvtypes),
                   isocomm, info, request);
}
