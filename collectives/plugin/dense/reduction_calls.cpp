// The plug-in's reductions whose results all ranks share.
#include "collectives/plugin/dense/dense_calls.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "collectives/plugin/take_or_leave.hpp"

using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

/// Makes the call of a reduce-scatter, whose own count on this rank is one of many.
template <typename Count>
Call reduce_scatter_of(const char* name, const void* sendbuf, const void* recvbuf, const Count* recvcounts,
                       MPI_Comm comm, const MPI_Datatype& datatype, MPI_Op op) {
  static constexpr Count kNone = 0;  // the call's check reports that there are no counts
  const Count& own = recvcounts == nullptr ? kNone : recvcounts[rank_in(comm)];
  return reduce_scatter_call(name, sendbuf, recvbuf, recvcounts, own, datatype, op);
}

}  // namespace

#define RONDO_FUNCTIONS "collectives/plugin/dense/reduction_functions.inc"
#include "collectives/plugin/both_widths.inc"
