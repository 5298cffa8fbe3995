#include "runtime/private_comm.hpp"

#include "datatypes/mpi_check.hpp"

namespace rondo {

PrivateComm::PrivateComm(MPI_Comm comm) { duplicate(comm); }

void PrivateComm::duplicate(MPI_Comm comm) {
  check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

PrivateComm::~PrivateComm() {
  int finalized = 0;
  if (kept_.load(std::memory_order_relaxed)) return;
  if (comm_ == MPI_COMM_NULL || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  MPI_Comm_free(&comm_);
}

int highest_tag() {
  void* value = nullptr;
  int flag = 0;
  check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &flag), "MPI_Comm_get_attr");
  return flag != 0 ? *static_cast<int*>(value) : 32767;  // the least that the MPI standard promises
}

}  // namespace rondo
