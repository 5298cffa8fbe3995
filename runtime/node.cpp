#include "runtime/node.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace rondo {

double ranks_per_core() {
  // Open MPI, then the Hydra launcher of MPICH. The cores are the machine's, not the affinity mask's: Open MPI binds
  // each of two ranks to a core of its own, which is not sharing one.
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    const char* text = std::getenv(variable);
    if (text == nullptr) continue;
    const double ranks = std::strtod(text, nullptr);
    const auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    return cores > 0 ? std::max(1.0, ranks / cores) : 1.0;
  }
  return 1.0;
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
