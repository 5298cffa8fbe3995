// The plug-in's dense alltoalls.
#include "collectives/plugin/dense/dense_calls.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/take_or_pass.hpp"

using namespace rondo::internal;
using namespace rondo::internal::plugin;

extern "C" {

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  const CallValues values = CallValues::of_blocks(sendbuf, sendcount, sendtype, recvcount, recvtype);
  return plugin::run<DenseCalls>(
      ReplacedCall::alltoall, comm, values,
      [&] { return alltoall_call("MPI_Alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] { return original_mpi().alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return plugin::run<DenseCalls>(
      ReplacedCall::alltoallv, comm,
      [&] {
        return alltoallv_call("MPI_Alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype);
      },
      [&] {
        return original_mpi().alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                        comm);
      });
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm) {
  return plugin::run<DenseCalls>(
      ReplacedCall::alltoallw, comm,
      [&] {
        return alltoallw_call("MPI_Alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes);
      },
      [&] {
        return original_mpi().alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                        recvtypes, comm);
      });
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ialltoall, comm, request,
      [&] { return alltoall_call("MPI_Ialltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] {
        return original_mpi().ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
      });
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ialltoallv, comm, request,
      [&] {
        return alltoallv_call("MPI_Ialltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype);
      },
      [&] {
        return original_mpi().ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                         comm, request);
      });
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ialltoallw, comm, request,
      [&] {
        return alltoallw_call("MPI_Ialltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes);
      },
      [&] {
        return original_mpi().ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                         recvtypes, comm, request);
      });
}

int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::alltoall_init, comm, request,
      [&] { return alltoall_call("MPI_Alltoall_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] {
        return original_mpi().alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                            request);
      });
}

int MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                       void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::alltoallv_init, comm, request,
      [&] {
        return alltoallv_call("MPI_Alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                              rdispls, recvtype);
      },
      [&] {
        return original_mpi().alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                             recvtype, comm, info, request);
      });
}

int MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                       void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::alltoallw_init, comm, request,
      [&] {
        return alltoallw_call("MPI_Alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                              rdispls, recvtypes);
      },
      [&] {
        return original_mpi().alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                             recvtypes, comm, info, request);
      });
}
}
