#include "collectives/plugin/original/original_mpi.hpp"

#include "collectives/plugin/original/other_mpi.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace rondo::internal::plugin {

void* find_original(const std::string& name) noexcept {
  void* found = dlsym(RTLD_NEXT, name.c_str());
  if (found == nullptr) {
    std::fprintf(stderr, "rondo_pmpi: no MPI library with %s is loaded\n", name.c_str());
    std::abort();
  }
  return found;
}

const OriginalMpi& original_mpi() noexcept {
  static const OriginalMpi functions = [] {
    end_under_other_mpi();
    return OriginalMpi();
  }();
  return functions;
}

#if MPI_VERSION >= 4
const OriginalLargeCounts& with_large_counts::mpi() noexcept {
  static const OriginalLargeCounts functions = [] {
    end_under_other_mpi();
    return OriginalLargeCounts();
  }();
  return functions;
}
#endif

}  // namespace rondo::internal::plugin
