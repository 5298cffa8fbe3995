// The C interface: dense reductions.
#include <rondo/comm.h>
#include <rondo/large_counts.h>

#include "collectives/faces/c/calls.hpp"

#include <functional>

using namespace rondo;
using namespace rondo::internal;

namespace {

/// A reduce-scatter, whose call depends on the rank: its own count is one of many.
template <typename Count>
struct ReduceScatter {
  const char* name;
  const void* sendbuf;
  const void* recvbuf;
  const Count* recvcounts;
  MPI_Datatype datatype;
  MPI_Op op;

  [[nodiscard]] Call operator()(int rank) const {
    static constexpr Count kNone = 0;  // the call's check says that there are no counts
    const Count& own = recvcounts == nullptr ? kNone : recvcounts[rank];
    return reduce_scatter_call(name, sendbuf, recvbuf, recvcounts, own, datatype, op);
  }
};

}  // namespace

int Rondo_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run_dense_call(reduce_call("Rondo_Allreduce", sendbuf, recvbuf, count, datatype, op), comm);
}

int Rondo_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm) {
  return run_dense_call(
      reduce_scatter_block_call("Rondo_Reduce_scatter_block", sendbuf, recvbuf, recvcount, datatype, op), comm);
}

int Rondo_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) {
  const ReduceScatter<int> call{"Rondo_Reduce_scatter", sendbuf, recvbuf, recvcounts, datatype, op};
  return run_dense_call("Rondo_Reduce_scatter", std::cref(call), comm);
}

int Rondo_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                     Rondo_Request* request) {
  return start_dense_call(reduce_call("Rondo_Iallreduce", sendbuf, recvbuf, count, datatype, op), comm, request);
}

int Rondo_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(
      reduce_scatter_block_call("Rondo_Ireduce_scatter_block", sendbuf, recvbuf, recvcount, datatype, op), comm,
      request);
}

int Rondo_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm, Rondo_Request* request) {
  const ReduceScatter<int> call{"Rondo_Ireduce_scatter", sendbuf, recvbuf, recvcounts, datatype, op};
  return start_dense_call("Rondo_Ireduce_scatter", std::cref(call), comm, request);
}

int Rondo_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                         MPI_Info info, Rondo_Request* request) {
  return init_dense_call(reduce_call("Rondo_Allreduce_init", sendbuf, recvbuf, count, datatype, op), comm, info,
                         request);
}

int Rondo_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                    MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(
      reduce_scatter_block_call("Rondo_Reduce_scatter_block_init", sendbuf, recvbuf, recvcount, datatype, op), comm,
      info, request);
}

int Rondo_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  const ReduceScatter<int> call{"Rondo_Reduce_scatter_init", sendbuf, recvbuf, recvcounts, datatype, op};
  return init_dense_call("Rondo_Reduce_scatter_init", std::cref(call), comm, info, request);
}

// Functions with counts of 64 bits.

int Rondo_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm) {
  return run_dense_call(reduce_call("Rondo_Allreduce_c", sendbuf, recvbuf, count, datatype, op), comm);
}

int Rondo_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm comm) {
  return run_dense_call(
      reduce_scatter_block_call("Rondo_Reduce_scatter_block_c", sendbuf, recvbuf, recvcount, datatype, op), comm);
}

int Rondo_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm) {
  const ReduceScatter<MPI_Count> call{"Rondo_Reduce_scatter_c", sendbuf, recvbuf, recvcounts, datatype, op};
  return run_dense_call("Rondo_Reduce_scatter_c", std::cref(call), comm);
}

int Rondo_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(reduce_call("Rondo_Iallreduce_c", sendbuf, recvbuf, count, datatype, op), comm, request);
}

int Rondo_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm, Rondo_Request* request) {
  return start_dense_call(
      reduce_scatter_block_call("Rondo_Ireduce_scatter_block_c", sendbuf, recvbuf, recvcount, datatype, op), comm,
      request);
}

int Rondo_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm, Rondo_Request* request) {
  const ReduceScatter<MPI_Count> call{"Rondo_Ireduce_scatter_c", sendbuf, recvbuf, recvcounts, datatype, op};
  return start_dense_call("Rondo_Ireduce_scatter_c", std::cref(call), comm, request);
}

int Rondo_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(reduce_call("Rondo_Allreduce_init_c", sendbuf, recvbuf, count, datatype, op), comm, info,
                         request);
}

int Rondo_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                      MPI_Op op, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  return init_dense_call(
      reduce_scatter_block_call("Rondo_Reduce_scatter_block_init_c", sendbuf, recvbuf, recvcount, datatype, op), comm,
      info, request);
}

int Rondo_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm, MPI_Info info, Rondo_Request* request) {
  const ReduceScatter<MPI_Count> call{"Rondo_Reduce_scatter_init_c", sendbuf, recvbuf, recvcounts, datatype, op};
  return init_dense_call("Rondo_Reduce_scatter_init_c", std::cref(call), comm, info, request);
}
