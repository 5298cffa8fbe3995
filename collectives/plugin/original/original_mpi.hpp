/// @file
/// OriginalMpi: the functions of MPI that the plug-in stands in front of.
#ifndef RONDO_COLLECTIVES_PLUGIN_ORIGINAL_ORIGINAL_MPI_HPP
#define RONDO_COLLECTIVES_PLUGIN_ORIGINAL_ORIGINAL_MPI_HPP

#include <mpi.h>

#include "collectives/plugin/original/persistent_functions.hpp"

#include <string>

namespace rondo::internal::plugin {

/// Returns the next definition of a function after the plug-in's own; ends the process if there is none.
[[nodiscard]] void* find_original(const std::string& name) noexcept;

/// Whether this thread is in a function of a tool that lies between the plug-in and MPI. Calls that the tool makes
/// there are MPI's: in the profiling interface its calls of PMPI_ functions come to the plug-in again.
inline constinit thread_local bool inside_tool [[gnu::tls_model("initial-exec")]] = false;

template <typename Function>
class Original;

/// A function of MPI, or of a tool that stands in front of it.
template <typename... Arguments>
class Original<int(Arguments...)> {
 public:
  /// `name`: the function's name without the P of the profiling interface.
  explicit Original(const std::string& name)
      : mpis_(reinterpret_cast<Function*>(find_original("P" + name))),
        next_(reinterpret_cast<Function*>(find_original(name))) {}
  /// Makes a call of the application, which a tool is to see.
  int operator()(Arguments... arguments) const {
    if (next_ == mpis_ || inside_tool) [[likely]]
      return mpis_(arguments...);
    inside_tool = true;
    const int code = next_(arguments...);
    inside_tool = false;
    return code;
  }
  /// Makes a call of Rondo itself, which no tool sees.
  int directly(Arguments... arguments) const { return mpis_(arguments...); }

 private:
  using Function = int(Arguments...);
  Function* mpis_;
  Function* next_;
};

/// A persistent collective, by its name in this MPI.
template <typename Function>
struct PersistentOriginal : Original<Function> {
  explicit PersistentOriginal(const char* name) : Original<Function>(std::string(kPersistentPrefix) + name) {}
};

/// The functions of MPI that have counts of type int, and all others that are replaced.
struct OriginalMpi {
#define RONDO_ORIGINAL(member, function) Original<decltype(MPI_##function)> member{"MPI_" #function};
#define RONDO_PERSISTENT(member, function, type) PersistentOriginal<type> member{#function};
#include "collectives/plugin/original/functions_with_counts.inc"
#undef RONDO_ORIGINAL
#undef RONDO_PERSISTENT

  Original<decltype(MPI_Init)> init{"MPI_Init"};
  Original<decltype(MPI_Init_thread)> init_thread{"MPI_Init_thread"};

  Original<decltype(MPI_Alloc_mem)> alloc_mem{"MPI_Alloc_mem"};
  Original<decltype(MPI_Free_mem)> free_mem{"MPI_Free_mem"};

  Original<decltype(MPI_Barrier)> barrier{"MPI_Barrier"};
  Original<decltype(MPI_Ibarrier)> ibarrier{"MPI_Ibarrier"};
  PersistentOriginal<BarrierInit> barrier_init{"Barrier_init"};

  Original<decltype(MPI_Wait)> wait{"MPI_Wait"};
  Original<decltype(MPI_Waitall)> waitall{"MPI_Waitall"};
  Original<decltype(MPI_Waitany)> waitany{"MPI_Waitany"};
  Original<decltype(MPI_Waitsome)> waitsome{"MPI_Waitsome"};
  Original<decltype(MPI_Test)> test{"MPI_Test"};
  Original<decltype(MPI_Testall)> testall{"MPI_Testall"};
  Original<decltype(MPI_Testany)> testany{"MPI_Testany"};
  Original<decltype(MPI_Testsome)> testsome{"MPI_Testsome"};
  Original<decltype(MPI_Request_get_status)> request_get_status{"MPI_Request_get_status"};
  Original<decltype(MPI_Start)> start{"MPI_Start"};
  Original<decltype(MPI_Startall)> startall{"MPI_Startall"};
  Original<decltype(MPI_Request_free)> request_free{"MPI_Request_free"};
  Original<decltype(MPI_Cancel)> cancel{"MPI_Cancel"};

  Original<decltype(MPI_Comm_dup)> comm_dup{"MPI_Comm_dup"};
  Original<decltype(MPI_Comm_dup_with_info)> comm_dup_with_info{"MPI_Comm_dup_with_info"};
  Original<decltype(MPI_Comm_split)> comm_split{"MPI_Comm_split"};
  Original<decltype(MPI_Comm_split_type)> comm_split_type{"MPI_Comm_split_type"};
  Original<decltype(MPI_Comm_create)> comm_create{"MPI_Comm_create"};
  Original<decltype(MPI_Comm_create_group)> comm_create_group{"MPI_Comm_create_group"};
  Original<decltype(MPI_Intercomm_merge)> intercomm_merge{"MPI_Intercomm_merge"};
  Original<decltype(MPI_Cart_create)> cart_create{"MPI_Cart_create"};
  Original<decltype(MPI_Cart_sub)> cart_sub{"MPI_Cart_sub"};
  Original<decltype(MPI_Graph_create)> graph_create{"MPI_Graph_create"};
  Original<decltype(MPI_Dist_graph_create)> dist_graph_create{"MPI_Dist_graph_create"};
  Original<decltype(MPI_Dist_graph_create_adjacent)> dist_graph_create_adjacent{"MPI_Dist_graph_create_adjacent"};
};

/// Returns the functions of MPI, which are looked up at the first call of any, because MPI may be loaded late, as by
/// Python.
[[nodiscard]] const OriginalMpi& original_mpi() noexcept;

namespace with_ints {
using Count = int;
using Displacement = int;
[[nodiscard]] inline const OriginalMpi& mpi() noexcept { return original_mpi(); }
}  // namespace with_ints

#if MPI_VERSION >= 4
/// MPI's own functions with counts of the type MPI_Count.
struct OriginalLargeCounts {
#define RONDO_ORIGINAL(member, function) Original<decltype(MPI_##function##_c)> member{"MPI_" #function "_c"};
#define RONDO_PERSISTENT(member, function, type) RONDO_ORIGINAL(member, function)
#include "collectives/plugin/original/functions_with_counts.inc"
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
