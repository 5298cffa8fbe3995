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

/// The functions of MPI that have counts as ints, and all others that are replaced.
struct OriginalMpi {
#define RONDO_ORIGINAL(member, function) Original<decltype(MPI_##function)> member{"PMPI_" #function};
#define RONDO_PERSISTENT(member, function, type) PersistentOriginal<type> member{#function};
#include "collectives/plugin/functions_with_counts.inc"
#undef RONDO_ORIGINAL
#undef RONDO_PERSISTENT

  Original<decltype(MPI_Init)> init{"PMPI_Init"};
  Original<decltype(MPI_Init_thread)> init_thread{"PMPI_Init_thread"};

  Original<decltype(MPI_Alloc_mem)> alloc_mem{"PMPI_Alloc_mem"};
  Original<decltype(MPI_Free_mem)> free_mem{"PMPI_Free_mem"};

  Original<decltype(MPI_Barrier)> barrier{"PMPI_Barrier"};
  Original<decltype(MPI_Ibarrier)> ibarrier{"PMPI_Ibarrier"};
  PersistentOriginal<BarrierInit> barrier_init{"Barrier_init"};

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

namespace with_ints {
using Count = int;
using Displacement = int;
[[nodiscard]] inline const OriginalMpi& mpi() noexcept { return original_mpi(); }
}  // namespace with_ints

#if MPI_VERSION >= 4
/// The same functions with counts of the type MPI_Count.
struct OriginalLargeCounts {
#define RONDO_ORIGINAL(member, function) Original<decltype(MPI_##function##_c)> member{"PMPI_" #function "_c"};
#define RONDO_PERSISTENT(member, function, type) RONDO_ORIGINAL(member, function)
#include "collectives/plugin/functions_with_counts.inc"
#undef RONDO_ORIGINAL
#undef RONDO_PERSISTENT
};

namespace with_large_counts {
using Count = MPI_Count;
using Displacement = MPI_Aint;
/// Returns the functions of MPI, which are looked up at the first call of any.
[[nodiscard]] const OriginalLargeCounts& mpi() noexcept;
}  // namespace with_large_counts
#endif

}  // namespace rondo::internal::plugin

#endif
