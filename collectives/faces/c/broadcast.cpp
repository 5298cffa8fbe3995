// The C interface: the broadcast.
#include <rondo/comm.h>
#include <rondo/large_counts.h>

#include "collectives/faces/c/calls.hpp"

#include <functional>

using namespace rondo::internal;

namespace {

/// A broadcast, whose call depends on the rank: the root sends, the others receive.
template <typename Count>
struct Broadcast {
  const char* name;
  const void* buf;
  Count count;
  MPI_Datatype type;
  int root;

  [[nodiscard]] Call operator()(int rank) const { return broadcast_call(name, buf, count, type, root, rank); }
};

}  // namespace

int Rondo_Bcast(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Broadcast<int> call{"Rondo_Bcast", buf, count, type, root};
  return run_dense_call(call.name, std::cref(call), comm);
}

int Rondo_Ibcast(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm, Rondo_Request* request) {
  const Broadcast<int> call{"Rondo_Ibcast", buf, count, type, root};
  return start_dense_call(call.name, std::cref(call), comm, request);
}

int Rondo_Bcast_init(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     Rondo_Request* request) {
  const Broadcast<int> call{"Rondo_Bcast_init", buf, count, type, root};
  return init_dense_call(call.name, std::cref(call), comm, info, request);
}

// Functions with counts of 64 bits.

int Rondo_Bcast_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Broadcast<MPI_Count> call{"Rondo_Bcast_c", buf, count, type, root};
  return run_dense_call(call.name, std::cref(call), comm);
}

int Rondo_Ibcast_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, Rondo_Request* request) {
  const Broadcast<MPI_Count> call{"Rondo_Ibcast_c", buf, count, type, root};
  return start_dense_call(call.name, std::cref(call), comm, request);
}

int Rondo_Bcast_init_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                       Rondo_Request* request) {
  const Broadcast<MPI_Count> call{"Rondo_Bcast_init_c", buf, count, type, root};
  return init_dense_call(call.name, std::cref(call), comm, info, request);
}
