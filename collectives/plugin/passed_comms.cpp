#include "collectives/plugin/passed_comms.hpp"

namespace rondo::plugin {
namespace {

int forget(MPI_Comm comm, int, void*, void*) {
  for (auto& of_calls : all_passed_comms)
    for (PassedComms& comms : of_calls) comms.remove(comm);
  return MPI_SUCCESS;
}

/// Of the attribute that a communicator is forgotten with; a duplicate begins anew.
int keyval() noexcept {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    const int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, nullptr);
    return code == MPI_SUCCESS ? key : MPI_KEYVAL_INVALID;
  }();
  return made;
}

bool is_forgotten_when_freed(MPI_Comm comm) noexcept {
  void* found = nullptr;
  int flag = 0;
  if (keyval() == MPI_KEYVAL_INVALID ||
      MPI_Comm_get_attr(comm, keyval(), static_cast<void*>(&found), &flag) != MPI_SUCCESS)
    return false;
  return flag != 0 || MPI_Comm_set_attr(comm, keyval(), nullptr) == MPI_SUCCESS;
}

}  // namespace

void remember_passed(ReplacedCall call, MPI_Comm comm, PassedBlocks blocks) noexcept {
  // Otherwise it is looked at in every call.
  if (is_forgotten_when_freed(comm)) passed_comms(call, blocks).add(comm);
}

}  // namespace rondo::plugin
