#include "datatypes/reading/mpi_running.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include <string>

namespace rondo::internal {
namespace {

int forget(MPI_Comm, int, void*, void*) {
  mpi_is_known_to_run.store(false, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

/// Sets an attribute on MPI_COMM_SELF, whose deletion, the first step of MPI_Finalize, calls forget(). Returns whether
/// this succeeded; if not, every call of mpi_runs() asks MPI.
bool hears_of_finalize() noexcept {
  int key = MPI_KEYVAL_INVALID;
  return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, nullptr) == MPI_SUCCESS &&
         MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr) == MPI_SUCCESS;
}

}  // namespace

bool ask_whether_mpi_runs() noexcept {
  int initialized = 0;
  int finalized = 0;
  if (MPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0) return false;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return false;
  // Tried only once: a call inside MPI_Finalize, while MPI still runs, must not set an attribute on a communicator that
  // is being deleted.
  static std::atomic<bool> tried = false;
  if (!tried.exchange(true) && hears_of_finalize()) mpi_is_known_to_run.store(true, std::memory_order_relaxed);
  return true;
}

void refuse_without_mpi(const char* asked) {
  throw Error(MPI_ERR_OTHER, std::string(asked) + ": MPI is not running: call it between MPI_Init and MPI_Finalize");
}

}  // namespace rondo::internal
