#include "runtime/base/given_up.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/private_comm.hpp"

#include <atomic>

namespace rondo::internal {
namespace {

std::atomic<bool> some_were_given_up = false;

/// Returns the key of the attribute that marks a user's communicator as given up. A duplicate has no mark.
int given_up_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr) == MPI_SUCCESS
               ? made
               : MPI_KEYVAL_INVALID;
  }();
  return key;
}

}  // namespace

/// If MPI cannot set the mark, the next call on `comm` waits in vain and is given up again.
void give_up_on(MPI_Comm comm) noexcept {
  PrivateComm::give_up(comm);
  if (given_up_key() != MPI_KEYVAL_INVALID) MPI_Comm_set_attr(comm, given_up_key(), nullptr);
  some_were_given_up.store(true, std::memory_order_release);  // release: the key is visible too
}

void refuse_given_up(MPI_Comm comm) {
  // acquire: see give_up_on()
  if (!some_were_given_up.load(std::memory_order_acquire) || given_up_key() == MPI_KEYVAL_INVALID) return;
  void* value = nullptr;
  int marked = 0;
  check_mpi(MPI_Comm_get_attr(comm, given_up_key(), static_cast<void*>(&value), &marked), "MPI_Comm_get_attr");
  if (marked != 0) refuse_given_up_comm();
}

}  // namespace rondo::internal
