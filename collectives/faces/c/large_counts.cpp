// The C interface: counts and displacements of 64 bits.
#include <rondo/large_counts.h>

#include "collectives/faces/c/calls.hpp"

using namespace rondo;
using namespace rondo::internal;

int Rondo_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(alltoall_call("Rondo_Alltoall_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                        comm);
}

int Rondo_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                      MPI_Datatype recvtype, MPI_Comm comm) {
  return run_dense_call(alltoallv_call("Rondo_Alltoallv_c", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                       rdispls, recvtype),
                        comm);
}

int Rondo_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run_dense_call(alltoallw_call("Rondo_Alltoallw_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                       recvcounts, rdispls, recvtypes),
                        comm);
}

int Rondo_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(
      alltoall_call("Rondo_Ialltoall_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm, request);
}

int Rondo_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                       MPI_Datatype recvtype, MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(alltoallv_call("Rondo_Ialltoallv_c", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                         recvcounts, rdispls, recvtype),
                          comm, request);
}

int Rondo_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       Rondo_Request* request) {
  return start_dense_call(alltoallw_call("Rondo_Ialltoallw_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                         recvcounts, rdispls, recvtypes),
                          comm, request);
}

int Rondo_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          Rondo_Request* request) {
  return init_dense_call(
      alltoall_call("Rondo_Alltoall_init_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), comm, info,
      request);
}

int Rondo_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(alltoallv_call("Rondo_Alltoallv_init_c", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                        recvcounts, rdispls, recvtype),
                         comm, info, request);
}

int Rondo_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                           Rondo_Request* request) {
  return init_dense_call(alltoallw_call("Rondo_Alltoallw_init_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                        recvcounts, rdispls, recvtypes),
                         comm, info, request);
}

int Rondo_Cart_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm) {
  return run_call(alltoall_call("Rondo_Cart_alltoall_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                  cartcomm);
}

int Rondo_Cart_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           MPI_Datatype recvtype, MPI_Comm cartcomm) {
  return run_call(alltoallv_call("Rondo_Cart_alltoallv_c", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                 rdispls, recvtype),
                  cartcomm);
}

int Rondo_Cart_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm) {
  return run_call(alltoallw_call("Rondo_Cart_alltoallw_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                 rdispls, recvtypes),
                  cartcomm);
}

int Rondo_Icart_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(alltoall_call("Rondo_Icart_alltoall_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                    cartcomm, request);
}

int Rondo_Icart_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm cartcomm,
                            Rondo_Request* request) {
  return start_call(alltoallv_call("Rondo_Icart_alltoallv_c", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                   recvcounts, rdispls, recvtype),
                    cartcomm, request);
}

int Rondo_Icart_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                            Rondo_Request* request) {
  return start_call(alltoallw_call("Rondo_Icart_alltoallw_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                   recvcounts, rdispls, recvtypes),
                    cartcomm, request);
}

int Rondo_Cart_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info,
                               Rondo_Request* request) {
  return init_call(
      alltoall_call("Rondo_Cart_alltoall_init_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), cartcomm,
      info, request);
}

int Rondo_Cart_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info,
                                Rondo_Request* request) {
  return init_call(alltoallv_call("Rondo_Cart_alltoallv_init_c", sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                  recvcounts, rdispls, recvtype),
                   cartcomm, info, request);
}

int Rondo_Cart_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm cartcomm,
                                MPI_Info info, Rondo_Request* request) {
  return init_call(alltoallw_call("Rondo_Cart_alltoallw_init_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                  recvcounts, rdispls, recvtypes),
                   cartcomm, info, request);
}

int Rondo_Cart_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm) {
  return run_call(allgather_call("Rondo_Cart_allgather_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                  cartcomm);
}

int Rondo_Cart_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                            MPI_Comm cartcomm) {
  return run_call(
      allgatherv_call("Rondo_Cart_allgatherv_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      cartcomm);
}

int Rondo_Cart_allgatherw_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                            MPI_Comm cartcomm) {
  return run_call(
      allgatherw_call("Rondo_Cart_allgatherw_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtypes),
      cartcomm);
}

int Rondo_Icart_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(
      allgather_call("Rondo_Icart_allgather_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), cartcomm,
      request);
}

int Rondo_Icart_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                             MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(
      allgatherv_call("Rondo_Icart_allgatherv_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      cartcomm, request);
}

int Rondo_Icart_allgatherw_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                             MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(allgatherw_call("Rondo_Icart_allgatherw_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                    rdispls, recvtypes),
                    cartcomm, request);
}

int Rondo_Cart_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm cartcomm, MPI_Info info,
                                Rondo_Request* request) {
  return init_call(
      allgather_call("Rondo_Cart_allgather_init_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      cartcomm, info, request);
}

int Rondo_Cart_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                 MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(allgatherv_call("Rondo_Cart_allgatherv_init_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                   displs, recvtype),
                   cartcomm, info, request);
}

int Rondo_Cart_allgatherw_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                 MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(allgatherw_call("Rondo_Cart_allgatherw_init_c", sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                   rdispls, recvtypes),
                   cartcomm, info, request);
}

int Rondo_Cart_reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm cartcomm) {
  return run_call(reduce_call("Rondo_Cart_reduce_c", sendbuf, recvbuf, count, datatype, op), cartcomm);
}

int Rondo_Cart_scatter_reduce_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm cartcomm) {
  return run_call(scatter_reduce_call("Rondo_Cart_scatter_reduce_c", sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                      count, datatype, op),
                  cartcomm);
}

int Rondo_Icart_reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(reduce_call("Rondo_Icart_reduce_c", sendbuf, recvbuf, count, datatype, op), cartcomm, request);
}

int Rondo_Icart_scatter_reduce_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm cartcomm, Rondo_Request* request) {
  return start_call(scatter_reduce_call("Rondo_Icart_scatter_reduce_c", sendbuf, sendcounts, sdispls, sendtypes,
                                        recvbuf, count, datatype, op),
                    cartcomm, request);
}

int Rondo_Cart_reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm cartcomm, MPI_Info info, Rondo_Request* request) {
  return init_call(reduce_call("Rondo_Cart_reduce_init_c", sendbuf, recvbuf, count, datatype, op), cartcomm, info,
                   request);
}

int Rondo_Cart_scatter_reduce_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                     const MPI_Datatype sendtypes[], void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm cartcomm, MPI_Info info,
                                     Rondo_Request* request) {
  return init_call(scatter_reduce_call("Rondo_Cart_scatter_reduce_init_c", sendbuf, sendcounts, sdispls, sendtypes,
                                       recvbuf, count, datatype, op),
                   cartcomm, info, request);
}
