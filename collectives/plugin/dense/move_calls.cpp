// The plug-in's barriers, broadcasts and allgathers.
#include "collectives/plugin/dense/dense_calls.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/take_or_pass.hpp"

using namespace rondo::internal;
using namespace rondo::internal::plugin;

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  const CallValues values;
  return plugin::run<DenseCalls>(
      ReplacedCall::barrier, comm, values, [&] { return barrier_call("MPI_Barrier"); },
      [&] { return original_mpi().barrier(comm); });
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ibarrier, comm, request, [&] { return barrier_call("MPI_Ibarrier"); },
      [&] { return original_mpi().ibarrier(comm, request); });
}

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::barrier_init, comm, request, [&] { return barrier_call("MPI_Barrier_init"); },
      [&] { return original_mpi().barrier_init(comm, info, request); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const CallValues values{.sent = count, .sent_type = datatype, .root = root};
  return plugin::run<DenseCalls>(
      ReplacedCall::bcast, comm, values,
      [&] { return broadcast_call("MPI_Bcast", buffer, count, datatype, root, rank_in(comm)); },
      [&] { return original_mpi().bcast(buffer, count, datatype, root, comm); });
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ibcast, comm, request,
      [&] { return broadcast_call("MPI_Ibcast", buffer, count, datatype, root, rank_in(comm)); },
      [&] { return original_mpi().ibcast(buffer, count, datatype, root, comm, request); });
}

int MPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::bcast_init, comm, request,
      [&] { return broadcast_call("MPI_Bcast_init", buffer, count, datatype, root, rank_in(comm)); },
      [&] { return original_mpi().bcast_init(buffer, count, datatype, root, comm, info, request); });
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  const CallValues values = CallValues::of_blocks(sendbuf, sendcount, sendtype, recvcount, recvtype);
  return plugin::run<DenseCalls>(
      ReplacedCall::allgather, comm, values,
      [&] { return allgather_call("MPI_Allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] { return original_mpi().allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::iallgather, comm, request,
      [&] { return allgather_call("MPI_Iallgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] {
        return original_mpi().iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
      });
}

int MPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::allgather_init, comm, request,
      [&] { return allgather_call("MPI_Allgather_init", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype); },
      [&] {
        return original_mpi().allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                             request);
      });
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return plugin::run<DenseCalls>(
      ReplacedCall::allgatherv, comm,
      [&] {
        return allgatherv_call("MPI_Allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype);
      },
      [&] {
        return original_mpi().allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
      });
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::iallgatherv, comm, request,
      [&] {
        return allgatherv_call("MPI_Iallgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype);
      },
      [&] {
        return original_mpi().iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                                          request);
      });
}

int MPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::allgatherv_init, comm, request,
      [&] {
        return allgatherv_call("MPI_Allgatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                               recvtype);
      },
      [&] {
        return original_mpi().allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                                              info, request);
      });
}
}
