/// @file
/// MPI's functions as an application calls them with the plug-in in front of MPI, and MPI's own.
#ifndef RONDO_BENCH_PLUGIN_FUNCTIONS_HPP
#define RONDO_BENCH_PLUGIN_FUNCTIONS_HPP

#include "persistent_collectives.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace bench::plugin {

/// MPI's own function of that name, whatever is loaded in front of it.
[[nodiscard]] inline void* mpis_own(const char* name) {
  Dl_info mpi{};
  dladdr(reinterpret_cast<void*>(&MPI_Get_version), &mpi);  // which nobody replaces
  static void* const library = dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "plugin: MPI has no %s\n", name);
    std::abort();
  }
  return found;
}

/// Returns the name of a persistent collective in the profiling interface.
[[nodiscard]] inline std::string persistent(const char* name) { return std::string(kPersistentPrefix) + name; }

/// A function of MPI's as the application calls it, and MPI's own.
template <typename Function>
struct Pair {
  Pair(Function* seen, const std::string& name)
      : as_called(seen), own(reinterpret_cast<Function*>(mpis_own(name.c_str()))) {}
  Function* as_called;
  Function* own;
};

/// The functions that the benchmark calls, in one of the two ways.
struct Mpi {
  explicit Mpi(bool own) : own_(own) {}
  [[nodiscard]] bool is_own() const { return own_; }
  template <typename Function>
  [[nodiscard]] Function* of(const Pair<Function>& pair) const {
    return own_ ? pair.own : pair.as_called;
  }

 private:
  bool own_;
};

struct Functions {
  Pair<decltype(MPI_Alltoall)> alltoall{MPI_Alltoall, "PMPI_Alltoall"};
  Pair<decltype(MPI_Alltoallv)> alltoallv{MPI_Alltoallv, "PMPI_Alltoallv"};
  Pair<decltype(MPI_Ialltoall)> ialltoall{MPI_Ialltoall, "PMPI_Ialltoall"};
  Pair<decltype(MPI_Ialltoallv)> ialltoallv{MPI_Ialltoallv, "PMPI_Ialltoallv"};
  Pair<decltype(MPI_Barrier)> barrier{MPI_Barrier, "PMPI_Barrier"};
  Pair<decltype(MPI_Ibarrier)> ibarrier{MPI_Ibarrier, "PMPI_Ibarrier"};
  Pair<decltype(MPI_Bcast)> bcast{MPI_Bcast, "PMPI_Bcast"};
  Pair<decltype(MPI_Ibcast)> ibcast{MPI_Ibcast, "PMPI_Ibcast"};
  Pair<decltype(MPI_Allgather)> allgather{MPI_Allgather, "PMPI_Allgather"};
  Pair<decltype(MPI_Iallgather)> iallgather{MPI_Iallgather, "PMPI_Iallgather"};
  Pair<decltype(MPI_Allgatherv)> allgatherv{MPI_Allgatherv, "PMPI_Allgatherv"};
  Pair<decltype(MPI_Iallgatherv)> iallgatherv{MPI_Iallgatherv, "PMPI_Iallgatherv"};
  Pair<decltype(MPI_Allreduce)> allreduce{MPI_Allreduce, "PMPI_Allreduce"};
  Pair<decltype(MPI_Iallreduce)> iallreduce{MPI_Iallreduce, "PMPI_Iallreduce"};
  Pair<decltype(MPI_Reduce_scatter_block)> reduce_scatter_block{MPI_Reduce_scatter_block, "PMPI_Reduce_scatter_block"};
  Pair<decltype(MPI_Ireduce_scatter_block)> ireduce_scatter_block{MPI_Ireduce_scatter_block,
                                                                  "PMPI_Ireduce_scatter_block"};
  Pair<decltype(MPI_Reduce_scatter)> reduce_scatter{MPI_Reduce_scatter, "PMPI_Reduce_scatter"};
  Pair<decltype(MPI_Ireduce_scatter)> ireduce_scatter{MPI_Ireduce_scatter, "PMPI_Ireduce_scatter"};
  Pair<decltype(MPI_Neighbor_alltoall)> neighbor_alltoall{MPI_Neighbor_alltoall, "PMPI_Neighbor_alltoall"};
  Pair<decltype(MPI_Neighbor_alltoallv)> neighbor_alltoallv{MPI_Neighbor_alltoallv, "PMPI_Neighbor_alltoallv"};
  Pair<decltype(MPI_Neighbor_allgather)> neighbor_allgather{MPI_Neighbor_allgather, "PMPI_Neighbor_allgather"};
  Pair<decltype(MPI_Ineighbor_alltoall)> ineighbor_alltoall{MPI_Ineighbor_alltoall, "PMPI_Ineighbor_alltoall"};
  Pair<decltype(MPI_Alltoall_init)> alltoall_init{MPI_Alltoall_init, persistent("Alltoall_init")};
  Pair<decltype(MPI_Neighbor_alltoall_init)> neighbor_alltoall_init{MPI_Neighbor_alltoall_init,
                                                                    persistent("Neighbor_alltoall_init")};
  Pair<decltype(MPI_Barrier_init)> barrier_init{MPI_Barrier_init, persistent("Barrier_init")};
  Pair<decltype(MPI_Bcast_init)> bcast_init{MPI_Bcast_init, persistent("Bcast_init")};
  Pair<decltype(MPI_Allgather_init)> allgather_init{MPI_Allgather_init, persistent("Allgather_init")};
  Pair<decltype(MPI_Allgatherv_init)> allgatherv_init{MPI_Allgatherv_init, persistent("Allgatherv_init")};
  Pair<decltype(MPI_Allreduce_init)> allreduce_init{MPI_Allreduce_init, persistent("Allreduce_init")};
  Pair<decltype(MPI_Reduce_scatter_block_init)> reduce_scatter_block_init{MPI_Reduce_scatter_block_init,
                                                                          persistent("Reduce_scatter_block_init")};
  Pair<decltype(MPI_Reduce_scatter_init)> reduce_scatter_init{MPI_Reduce_scatter_init,
                                                              persistent("Reduce_scatter_init")};
  Pair<decltype(MPI_Wait)> wait{MPI_Wait, "PMPI_Wait"};
  Pair<decltype(MPI_Test)> test{MPI_Test, "PMPI_Test"};
  Pair<decltype(MPI_Start)> start{MPI_Start, "PMPI_Start"};
  Pair<decltype(MPI_Request_free)> request_free{MPI_Request_free, "PMPI_Request_free"};
};

}  // namespace bench::plugin

#endif
