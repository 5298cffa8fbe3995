/// @file
/// The persistent collectives by the names that MPI-4 gives them. Open MPI has them as MPIX_ before its version 5;
/// under any Open MPI the plug-in defines them under both names (CMakeLists.txt).
#ifndef RONDO_COLLECTIVES_PLUGIN_ORIGINAL_PERSISTENT_FUNCTIONS_HPP
#define RONDO_COLLECTIVES_PLUGIN_ORIGINAL_PERSISTENT_FUNCTIONS_HPP

#include <mpi.h>

namespace rondo::internal::plugin {

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
inline constexpr const char* kPersistentPrefix = "MPIX_";
#else
inline constexpr const char* kPersistentPrefix = "MPI_";
#endif

using AlltoallInit = int(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*);
using AlltoallvInit = int(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                          MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*);
using AlltoallwInit = int(const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
                          const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*);
using NeighborAlltoallwInit = int(const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*,
                                  const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*);
using AllgathervInit = int(const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm,
                           MPI_Info, MPI_Request*);
using BarrierInit = int(MPI_Comm, MPI_Info, MPI_Request*);
using BcastInit = int(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*);
/// Also a reduce-scatter of equal blocks.
using AllreduceInit = int(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*);
using ReduceScatterInit = int(const void*, void*, const int*, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*);

}  // namespace rondo::internal::plugin

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
// NOLINTBEGIN(readability-identifier-naming): MPI's names
extern "C" {
rondo::internal::plugin::AlltoallInit MPI_Alltoall_init;
rondo::internal::plugin::AlltoallvInit MPI_Alltoallv_init;
rondo::internal::plugin::AlltoallwInit MPI_Alltoallw_init;
rondo::internal::plugin::BarrierInit MPI_Barrier_init;
rondo::internal::plugin::BcastInit MPI_Bcast_init;
rondo::internal::plugin::AlltoallInit MPI_Allgather_init;
rondo::internal::plugin::AllgathervInit MPI_Allgatherv_init;
rondo::internal::plugin::AllreduceInit MPI_Allreduce_init;
rondo::internal::plugin::AllreduceInit MPI_Reduce_scatter_block_init;
rondo::internal::plugin::ReduceScatterInit MPI_Reduce_scatter_init;
rondo::internal::plugin::AlltoallInit MPI_Neighbor_alltoall_init;
rondo::internal::plugin::AlltoallvInit MPI_Neighbor_alltoallv_init;
rondo::internal::plugin::NeighborAlltoallwInit MPI_Neighbor_alltoallw_init;
rondo::internal::plugin::AlltoallInit MPI_Neighbor_allgather_init;
rondo::internal::plugin::AllgathervInit MPI_Neighbor_allgatherv_init;
}
// NOLINTEND(readability-identifier-naming)
#endif

#endif
