#include "runtime/node.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace rondo {

int ranks_on_node() {
  // Open MPI, then the Hydra launcher of MPICH.
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    if (const char* text = std::getenv(variable)) return std::max(1, static_cast<int>(std::strtol(text, nullptr, 10)));
  }
  return 1;
}

int cores_of_node() {
  // The machine's, not the affinity mask's: Open MPI binds each of two ranks to a core of its own, which is not sharing
  // one.
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

double ranks_per_core() {
  return std::max(1.0, static_cast<double>(ranks_on_node()) / static_cast<double>(cores_of_node()));
}

bool mpi_yields_when_idle([[maybe_unused]] int thread_level) {
  bool yields = false;
#if defined(OPEN_MPI)
  int provided = 0;
  // Open MPI 4.1 takes the level given here for that of all MPI.
  if (MPI_T_init_thread(thread_level, &provided) != MPI_SUCCESS) return false;
  int index = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  int value = 0;
  if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    yields = MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value != 0;
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
#endif
  return yields;
}

}  // namespace rondo
