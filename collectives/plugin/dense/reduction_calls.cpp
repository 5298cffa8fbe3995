// The plug-in's reductions whose results all ranks share.
#include "collectives/plugin/dense/dense_calls.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/take_or_pass.hpp"

using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

/// A reduce-scatter, whose own count on this rank is one of many.
Call reduce_scatter_of(const char* name, const void* sendbuf, const void* recvbuf, const int* recvcounts, MPI_Comm comm,
                       const MPI_Datatype& datatype, MPI_Op op) {
  static constexpr int kNone = 0;  // the call's check says that there are no counts
  const int& own = recvcounts == nullptr ? kNone : recvcounts[rank_in(comm)];
  return reduce_scatter_call(name, sendbuf, recvbuf, recvcounts, own, datatype, op);
}

}  // namespace

extern "C" {

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  const CallValues values{.received = count, .received_type = datatype, .op = op, .in_place = sendbuf == MPI_IN_PLACE};
  return plugin::run<DenseCalls>(
      ReplacedCall::allreduce, comm, values,
      [&] { return reduce_call("MPI_Allreduce", sendbuf, recvbuf, count, datatype, op); },
      [&] { return original_mpi().allreduce(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::iallreduce, comm, request,
      [&] { return reduce_call("MPI_Iallreduce", sendbuf, recvbuf, count, datatype, op); },
      [&] { return original_mpi().iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::allreduce_init, comm, request,
      [&] { return reduce_call("MPI_Allreduce_init", sendbuf, recvbuf, count, datatype, op); },
      [&] { return original_mpi().allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); });
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm) {
  const CallValues values{
      .received = recvcount, .received_type = datatype, .op = op, .in_place = sendbuf == MPI_IN_PLACE};
  return plugin::run<DenseCalls>(
      ReplacedCall::reduce_scatter_block, comm, values,
      [&] { return reduce_scatter_block_call("MPI_Reduce_scatter_block", sendbuf, recvbuf, recvcount, datatype, op); },
      [&] { return original_mpi().reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}

int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ireduce_scatter_block, comm, request,
      [&] { return reduce_scatter_block_call("MPI_Ireduce_scatter_block", sendbuf, recvbuf, recvcount, datatype, op); },
      [&] { return original_mpi().ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request); });
}

int MPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::reduce_scatter_block_init, comm, request,
      [&] {
        return reduce_scatter_block_call("MPI_Reduce_scatter_block_init", sendbuf, recvbuf, recvcount, datatype, op);
      },
      [&] {
        return original_mpi().reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
      });
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm) {
  return plugin::run<DenseCalls>(
      ReplacedCall::reduce_scatter, comm,
      [&] { return reduce_scatter_of("MPI_Reduce_scatter", sendbuf, recvbuf, recvcounts, comm, datatype, op); },
      [&] { return original_mpi().reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Request* request) {
  return plugin::start<DenseCalls>(
      ReplacedCall::ireduce_scatter, comm, request,
      [&] { return reduce_scatter_of("MPI_Ireduce_scatter", sendbuf, recvbuf, recvcounts, comm, datatype, op); },
      [&] { return original_mpi().ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request); });
}

int MPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return plugin::init<DenseCalls>(
      ReplacedCall::reduce_scatter_init, comm, request,
      [&] { return reduce_scatter_of("MPI_Reduce_scatter_init", sendbuf, recvbuf, recvcounts, comm, datatype, op); },
      [&] {
        return original_mpi().reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
      });
}
}
