// The C interface: reductions, under the names of both papers.
#include <rondo/cart.h>

#include "collectives/faces/c/calls.hpp"

using namespace rondo;
using namespace rondo::internal;

int Rondo_Cart_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm cartcomm) {
  return run_call(reduce_call("Rondo_Cart_reduce", sendbuf, recvbuf, count, datatype, op), cartcomm);
}

int Rondo_Icart_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(reduce_call("Rondo_Icart_reduce", sendbuf, recvbuf, count, datatype, op), cartcomm, request);
}

int Rondo_Cart_reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(reduce_call("Rondo_Cart_reduce_init", sendbuf, recvbuf, count, datatype, op), cartcomm, info,
                   request);
}

int Rondo_Iso_neighbor_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm isocomm) {
  return run_call(reduce_call("Rondo_Iso_neighbor_reduce", sendbuf, recvbuf, count, datatype, op), isocomm);
}

int Rondo_Iiso_neighbor_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm isocomm, Rondo_Request* request) {
  return start_call(reduce_call("Rondo_Iiso_neighbor_reduce", sendbuf, recvbuf, count, datatype, op), isocomm, request);
}

int Rondo_Iso_neighbor_reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                   MPI_Comm isocomm, MPI_Info info, Rondo_Request* request) {
  return init_call(reduce_call("Rondo_Iso_neighbor_reduce_init", sendbuf, recvbuf, count, datatype, op), isocomm, info,
                   request);
}

int Rondo_Cart_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm cartcomm) {
  return run_call(scatter_reduce_call("Rondo_Cart_scatter_reduce", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                      count, datatype, op),
                  cartcomm);
}

int Rondo_Icart_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(scatter_reduce_call("Rondo_Icart_scatter_reduce", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                        count, datatype, op),
                    cartcomm, request);
}

int Rondo_Cart_scatter_reduce_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                   const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(scatter_reduce_call("Rondo_Cart_scatter_reduce_init", sendbuf, sendcounts, sdispls, sendtypes,
                                       recvbuf, count, datatype, op),
                   cartcomm, info, request);
}

int Rondo_Iso_neighbor_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                      const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                                      MPI_Op op, MPI_Comm isocomm) {
  return run_call(scatter_reduce_call("Rondo_Iso_neighbor_scatter_reduce", sendbuf, sendcounts, sdispls, sendtypes,
                                      recvbuf, count, datatype, op),
                  isocomm);
}

int Rondo_Iiso_neighbor_scatter_reduce(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                       const MPI_Datatype sendtypes[], void* recvbuf, int count, MPI_Datatype datatype,
                                       MPI_Op op, MPI_Comm isocomm, Rondo_Request* request) {
  return start_call(scatter_reduce_call("Rondo_Iiso_neighbor_scatter_reduce", sendbuf, sendcounts, sdispls, sendtypes,
                                        recvbuf, count, datatype, op),
                    isocomm, request);
}

int Rondo_Iso_neighbor_scatter_reduce_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                           const MPI_Datatype sendtypes[], void* recvbuf, int count,
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm isocomm, MPI_Info info,
                                           Rondo_Request* request) {
  return init_call(scatter_reduce_call("Rondo_Iso_neighbor_scatter_reduce_init", sendbuf, sendcounts, sdispls,
                                       sendtypes, recvbuf, count, datatype, op),
                   isocomm, info, request);
}
