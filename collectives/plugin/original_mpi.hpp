/// @file
/// OriginalMpi: the functions of MPI that the plug-in stands in front of.
#ifndef RONDO_COLLECTIVES_PLUGIN_ORIGINAL_MPI_HPP
#define RONDO_COLLECTIVES_PLUGIN_ORIGINAL_MPI_HPP

#include <mpi.h>

#include "collectives/plugin/persistent_functions.hpp"

#include <string>

namespace rondo::internal::plugin {

/// The next definition of a function after the plug-in's own; ends the process where there is none.
[[nodiscard]] void* find_original(const std::string& name) noexcept;

template <typename Function>
class Original;

/// A function of MPI by its profiling name.
template <typename... Arguments>
class Original<int(Arguments...)> {
 public:
  explicit Original(const std::string& name) : function_(reinterpret_cast<Function*>(find_original(name))) {}
  int operator()(Arguments... arguments) const { return function_(arguments...); }

 private:
  using Function = int(Arguments...);
  Function* function_;
};

/// A persistent collective, under the name that this MPI has for it.
template <typename Function>
struct PersistentOriginal : Original<Function> {
  explicit PersistentOriginal(const char* name) : Original<Function>(std::string(kPersistentPrefix) + name) {}
};

struct OriginalMpi {
  Original<decltype(MPI_Init)> init{"PMPI_Init"};
  Original<decltype(MPI_Init_thread)> init_thread{"PMPI_Init_thread"};

  Original<decltype(MPI_Alloc_mem)> alloc_mem{"PMPI_Alloc_mem"};
  Original<decltype(MPI_Free_mem)> free_mem{"PMPI_Free_mem"};

  Original<decltype(MPI_Alltoall)> alltoall{"PMPI_Alltoall"};
  Original<decltype(MPI_Alltoallv)> alltoallv{"PMPI_Alltoallv"};
  Original<decltype(MPI_Alltoallw)> alltoallw{"PMPI_Alltoallw"};
  Original<decltype(MPI_Ialltoall)> ialltoall{"PMPI_Ialltoall"};
  Original<decltype(MPI_Ialltoallv)> ialltoallv{"PMPI_Ialltoallv"};
  Original<decltype(MPI_Ialltoallw)> ialltoallw{"PMPI_Ialltoallw"};
  PersistentOriginal<AlltoallInit> alltoall_init{"Alltoall_init"};
  PersistentOriginal<AlltoallvInit> alltoallv_init{"Alltoallv_init"};
  PersistentOriginal<AlltoallwInit> alltoallw_init{"Alltoallw_init"};

  Original<decltype(MPI_Barrier)> barrier{"PMPI_Barrier"};
  Original<decltype(MPI_Bcast)> bcast{"PMPI_Bcast"};
  Original<decltype(MPI_Allgather)> allgather{"PMPI_Allgather"};
  Original<decltype(MPI_Allgatherv)> allgatherv{"PMPI_Allgatherv"};
  Original<decltype(MPI_Allreduce)> allreduce{"PMPI_Allreduce"};
  Original<decltype(MPI_Reduce_scatter_block)> reduce_scatter_block{"PMPI_Reduce_scatter_block"};
  Original<decltype(MPI_Reduce_scatter)> reduce_scatter{"PMPI_Reduce_scatter"};
  Original<decltype(MPI_Ibarrier)> ibarrier{"PMPI_Ibarrier"};
  Original<decltype(MPI_Ibcast)> ibcast{"PMPI_Ibcast"};
  Original<decltype(MPI_Iallgather)> iallgather{"PMPI_Iallgather"};
  Original<decltype(MPI_Iallgatherv)> iallgatherv{"PMPI_Iallgatherv"};
  Original<decltype(MPI_Iallreduce)> iallreduce{"PMPI_Iallreduce"};
  Original<decltype(MPI_Ireduce_scatter_block)> ireduce_scatter_block{"PMPI_Ireduce_scatter_block"};
  Original<decltype(MPI_Ireduce_scatter)> ireduce_scatter{"PMPI_Ireduce_scatter"};
  PersistentOriginal<BarrierInit> barrier_init{"Barrier_init"};
  PersistentOriginal<BcastInit> bcast_init{"Bcast_init"};
  PersistentOriginal<AlltoallInit> allgather_init{"Allgather_init"};
  PersistentOriginal<AllgathervInit> allgatherv_init{"Allgatherv_init"};
  PersistentOriginal<AllreduceInit> allreduce_init{"Allreduce_init"};
  PersistentOriginal<AllreduceInit> reduce_scatter_block_init{"Reduce_scatter_block_init"};
  PersistentOriginal<ReduceScatterInit> reduce_scatter_init{"Reduce_scatter_init"};

  Original<decltype(MPI_Neighbor_alltoall)> neighbor_alltoall{"PMPI_Neighbor_alltoall"};
  Original<decltype(MPI_Neighbor_alltoallv)> neighbor_alltoallv{"PMPI_Neighbor_alltoallv"};
  Original<decltype(MPI_Neighbor_alltoallw)> neighbor_alltoallw{"PMPI_Neighbor_alltoallw"};
  Original<decltype(MPI_Neighbor_allgather)> neighbor_allgather{"PMPI_Neighbor_allgather"};
  Original<decltype(MPI_Neighbor_allgatherv)> neighbor_allgatherv{"PMPI_Neighbor_allgatherv"};
  Original<decltype(MPI_Ineighbor_alltoall)> ineighbor_alltoall{"PMPI_Ineighbor_alltoall"};
  Original<decltype(MPI_Ineighbor_alltoallv)> ineighbor_alltoallv{"PMPI_Ineighbor_alltoallv"};
  Original<decltype(MPI_Ineighbor_alltoallw)> ineighbor_alltoallw{"PMPI_Ineighbor_alltoallw"};
  Original<decltype(MPI_Ineighbor_allgather)> ineighbor_allgather{"PMPI_Ineighbor_allgather"};
  Original<decltype(MPI_Ineighbor_allgatherv)> ineighbor_allgatherv{"PMPI_Ineighbor_allgatherv"};
  PersistentOriginal<AlltoallInit> neighbor_alltoall_init{"Neighbor_alltoall_init"};
  PersistentOriginal<AlltoallvInit> neighbor_alltoallv_init{"Neighbor_alltoallv_init"};
  PersistentOriginal<NeighborAlltoallwInit> neighbor_alltoallw_init{"Neighbor_alltoallw_init"};
  PersistentOriginal<AlltoallInit> neighbor_allgather_init{"Neighbor_allgather_init"};
  PersistentOriginal<AllgathervInit> neighbor_allgatherv_init{"Neighbor_allgatherv_init"};

  Original<decltype(MPI_Wait)> wait{"PMPI_Wait"};
  Original<decltype(MPI_Waitall)> waitall{"PMPI_Waitall"};
  Original<decltype(MPI_Waitany)> waitany{"PMPI_Waitany"};
  Original<decltype(MPI_Waitsome)> waitsome{"PMPI_Waitsome"};
  Original<decltype(MPI_Test)> test{"PMPI_Test"};
  Original<decltype(MPI_Testall)> testall{"PMPI_Testall"};
  Original<decltype(MPI_Testany)> testany{"PMPI_Testany"};
  Original<decltype(MPI_Testsome)> testsome{"PMPI_Testsome"};
  Original<decltype(MPI_Request_get_status)> request_get_status{"PMPI_Request_get_status"};
  Original<decltype(MPI_Start)> start{"PMPI_Start"};
  Original<decltype(MPI_Startall)> startall{"PMPI_Startall"};
  Original<decltype(MPI_Request_free)> request_free{"PMPI_Request_free"};
  Original<decltype(MPI_Cancel)> cancel{"PMPI_Cancel"};

  Original<decltype(MPI_Comm_dup)> comm_dup{"PMPI_Comm_dup"};
  Original<decltype(MPI_Comm_dup_with_info)> comm_dup_with_info{"PMPI_Comm_dup_with_info"};
  Original<decltype(MPI_Comm_split)> comm_split{"PMPI_Comm_split"};
  Original<decltype(MPI_Comm_split_type)> comm_split_type{"PMPI_Comm_split_type"};
  Original<decltype(MPI_Comm_create)> comm_create{"PMPI_Comm_create"};
  Original<decltype(MPI_Comm_create_group)> comm_create_group{"PMPI_Comm_create_group"};
  Original<decltype(MPI_Intercomm_merge)> intercomm_merge{"PMPI_Intercomm_merge"};
  Original<decltype(MPI_Cart_create)> cart_create{"PMPI_Cart_create"};
  Original<decltype(MPI_Cart_sub)> cart_sub{"PMPI_Cart_sub"};
  Original<decltype(MPI_Graph_create)> graph_create{"PMPI_Graph_create"};
  Original<decltype(MPI_Dist_graph_create)> dist_graph_create{"PMPI_Dist_graph_create"};
  Original<decltype(MPI_Dist_graph_create_adjacent)> dist_graph_create_adjacent{"PMPI_Dist_graph_create_adjacent"};
};

/// Looked up at the first call of any: MPI may be loaded late, as by Python.
[[nodiscard]] const OriginalMpi& original_mpi() noexcept;

}  // namespace rondo::internal::plugin

#endif
