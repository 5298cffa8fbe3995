// The plug-in's MPI_Init: raises the thread level if, and only if, the user asked for progress in the background.
#include <rondo/progress.hpp>

#include "collectives/faces/c/errors.hpp"
#include "collectives/plugin/comm_calls.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "runtime/base/log.hpp"

#include <cstdlib>
#include <string_view>

using namespace rondo;
using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

bool wants_background_progress() noexcept {
  const char* wanted = std::getenv("RONDO_PROGRESS");
  return wanted != nullptr && std::string_view(wanted) == name(ProgressMode::async);
}

bool is_rank_0() {
  int rank = -1;
  return MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0;
}

/// Prepares the world after MPI was started. `raised`: with a higher level than the application asked for.
int started(int code, bool raised, int provided) {
  if (code != MPI_SUCCESS || inside_tool) return code;
  if (raised && is_rank_0()) {
    log(LogLevel::warning, "RONDO_PROGRESS=async: the application did not ask for MPI_THREAD_MULTIPLE, which MPI ",
        provided < MPI_THREAD_MULTIPLE ? "cannot give either" : "was started with");
  }
  return guarded(MPI_COMM_WORLD, "MPI_Init", prepare_world);
}

int start_with_threads(int* argc, char*** argv, int required, int* provided) {
  const bool raises = wants_background_progress() && required < MPI_THREAD_MULTIPLE;
  const int code = original_mpi().init_thread(argc, argv, raises ? MPI_THREAD_MULTIPLE : required, provided);
  return started(code, raises, *provided);
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  int provided = MPI_THREAD_SINGLE;
  if (wants_background_progress()) return start_with_threads(argc, argv, MPI_THREAD_SINGLE, &provided);
  return started(original_mpi().init(argc, argv), false, provided);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return start_with_threads(argc, argv, required, provided);
}
}
