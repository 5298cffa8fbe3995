#include "runtime/node.hpp"

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

}  // namespace rondo
