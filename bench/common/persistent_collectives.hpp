/// @file
/// The persistent collectives by the names that MPI-4 gives them: Open MPI has them as MPIX_ before its version 5.
#ifndef RONDO_BENCH_COMMON_PERSISTENT_COLLECTIVES_HPP
#define RONDO_BENCH_COMMON_PERSISTENT_COLLECTIVES_HPP

#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Alltoall_init MPIX_Alltoall_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#define MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
#endif

namespace bench {

/// How the names of these functions begin in the profiling interface.
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
inline constexpr const char* kPersistentPrefix = "PMPIX_";
#else
inline constexpr const char* kPersistentPrefix = "PMPI_";
#endif

}  // namespace bench

#endif
