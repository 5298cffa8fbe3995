// The C interface: progress modes.
#include <rondo/progress.h>

#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/request_calls.hpp"
#include "collectives/settings/settings.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>

using namespace rondo;
using namespace rondo::internal;

static_assert(static_cast<int>(ProgressMode::automatic) == RONDO_PROGRESS_AUTO &&
              static_cast<int>(ProgressMode::inlined) == RONDO_PROGRESS_INLINE &&
              static_cast<int>(ProgressMode::workers) == RONDO_PROGRESS_WORKERS &&
              static_cast<int>(ProgressMode::async) == RONDO_PROGRESS_ASYNC);

int Rondo_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Init_thread", [&] {
    require(provided, "provided");
    int initialized = 0;
    check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized != 0) throw Error(MPI_ERR_OTHER, "MPI was initialized already: call it once, in place of MPI_Init");
    Settings settings;
    settings.take_environment();
    check_mpi(MPI_Init_thread(argc, argv, std::max(required, level_for(settings.progress)), provided),
              "MPI_Init_thread");
  });
}

int Rondo_Request_get_progress(Rondo_Request request, int* mode) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Request_get_progress", [&] {
    require(mode, "mode");
    *mode = static_cast<int>(progress_of_request(request));
  });
}

int Rondo_On_complete(Rondo_Request request, void (*function)(void* argument), void* argument, int* flag) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_On_complete", [&] {
    if (function == nullptr) throw Error(MPI_ERR_ARG, "function: is a null pointer");
    require(flag, "flag");
    *flag = call_when_complete(request, [function, argument] { function(argument); }) ? 1 : 0;
  });
}

int Rondo_Progress(int* flag) {
  return guarded(MPI_COMM_NULL, "Rondo_Progress", [&] {
    require(flag, "flag");
    *flag = progress() ? 1 : 0;
  });
}
