// The C interface: alltoall, under the names of both papers.
#include <rondo/cart.h>

#include "collectives/faces/c/calls.hpp"

using namespace rondo;
using namespace rondo::internal;

int Rondo_Cart_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm cartcomm) {
  return run_call(alltoall_call("Rondo_Cart_alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                  cartcomm);
}

int Rondo_Icart_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(alltoall_call("Rondo_Icart_alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                    cartcomm, request);
}

int Rondo_Cart_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                             MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(
      alltoall_call("Rondo_Cart_alltoall_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), cartcomm,
      info, request);
}

int Rondo_Iso_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Comm isocomm) {
  return run_call(
      alltoall_call("Rondo_Iso_neighbor_alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      isocomm);
}

int Rondo_Iiso_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, Rondo_Request* request) {
  return start_call(
      alltoall_call("Rondo_Iiso_neighbor_alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      isocomm, request);
}

int Rondo_Iso_neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     int recvcount, MPI_Datatype recvtype, MPI_Comm isocomm, MPI_Info info,
                                     Rondo_Request* request) {
  return init_call(
      alltoall_call("Rondo_Iso_neighbor_alltoall_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      isocomm, info, request);
}

int Rondo_Cart_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm cartcomm) {
  return run_call(alltoallv_call("Rondo_Cart_alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                 rdispls, recvtype),
                  cartcomm);
}

int Rondo_Icart_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                          MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(alltoallv_call("Rondo_Icart_alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                   rdispls, recvtype),
                    cartcomm, request);
}

int Rondo_Cart_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                              void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                              MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(alltoallv_call("Rondo_Cart_alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                  recvcounts, rdispls, recvtype),
                   cartcomm, info, request);
}

int Rondo_Iso_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                 MPI_Datatype recvtype, MPI_Comm isocomm) {
  return run_call(alltoallv_call("Rondo_Iso_neighbor_alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                 recvcounts, rdispls, recvtype),
                  isocomm);
}

int Rondo_Iiso_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                  MPI_Datatype recvtype, MPI_Comm isocomm, Rondo_Request* request) {
  return start_call(alltoallv_call("Rondo_Iiso_neighbor_alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                   recvcounts, rdispls, recvtype),
                    isocomm, request);
}

int Rondo_Iso_neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                      MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                      MPI_Datatype recvtype, MPI_Comm isocomm, MPI_Info info, Rondo_Request* request) {
  return init_call(alltoallv_call("Rondo_Iso_neighbor_alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                  recvcounts, rdispls, recvtype),
                   isocomm, info, request);
}

int Rondo_Cart_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm) {
  return run_call(alltoallw_call("Rondo_Cart_alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                 rdispls, recvtypes),
                  cartcomm);
}

int Rondo_Icart_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                          Rondo_Request* request) {
  return start_call(alltoallw_call("Rondo_Icart_alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                   recvcounts, rdispls, recvtypes),
                    cartcomm, request);
}

int Rondo_Cart_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                              MPI_Info info, Rondo_Request* request) {
  return init_call(alltoallw_call("Rondo_Cart_alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                  recvcounts, rdispls, recvtypes),
                   cartcomm, info, request);
}

int Rondo_Iso_neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm isocomm) {
  return run_call(alltoallw_call("Rondo_Iso_neighbor_alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                 recvcounts, rdispls, recvtypes),
                  isocomm);
}

int Rondo_Iiso_neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm isocomm,
                                  Rondo_Request* request) {
  return start_call(alltoallw_call("Rondo_Iiso_neighbor_alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                   recvcounts, rdispls, recvtypes),
                    isocomm, request);
}

int Rondo_Iso_neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm isocomm,
                                      MPI_Info info, Rondo_Request* request) {
  return init_call(alltoallw_call("Rondo_Iso_neighbor_alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                  recvcounts, rdispls, recvtypes),
                   isocomm, info, request);
}
