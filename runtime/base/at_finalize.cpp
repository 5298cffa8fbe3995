#include "runtime/base/at_finalize.hpp"

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <array>
#include <mutex>
#include <vector>

namespace rondo::internal {
namespace {

struct Actions {
  std::mutex mutex;
  bool watched = false;
  std::array<std::vector<void (*)()>, 4> of_kind;
};

/// Never destroyed: MPI_Finalize may run in an exit handler, after the destructors of statics.
Actions& actions() {
  static auto& all = *new Actions;
  return all;
}

int act(MPI_Comm, int, void*, void*) {
  for (const auto& of_kind : actions().of_kind) {
    for (const auto action : of_kind) action();
  }
  return MPI_SUCCESS;
}

}  // namespace

void at_finalize(AtFinalize kind, void (*action)()) {
  Actions& all = actions();
  const std::scoped_lock lock(all.mutex);
  all.of_kind[static_cast<std::size_t>(kind)].push_back(action);
  if (all.watched) return;
  // MPI_Finalize deletes the attributes of MPI_COMM_SELF before it does anything else.
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, act, &key, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  all.watched = true;
}

}  // namespace rondo::internal
