// The plug-in's barriers, broadcasts and allgathers.
#include "collectives/plugin/dense/dense_calls.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "collectives/plugin/take_or_leave.hpp"

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
}

#define RONDO_FUNCTIONS "collectives/plugin/dense/move_functions.inc"
#include "collectives/plugin/both_widths.inc"
