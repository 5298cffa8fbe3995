#include "collectives/comm_context.hpp"

#include <rondo/error.hpp>

#include "datatypes/mpi_check.hpp"
#include "runtime/error_report.hpp"

#include <utility>

namespace rondo {

CommContext::CommContext(std::shared_ptr<const PrivateComm> own, Grid grid, Neighborhood neighborhood,
                         Settings settings, double ranks_per_core)
    : grid_(std::move(grid)),
      neighborhood_(std::move(neighborhood)),
      settings_(std::move(settings)),
      ranks_per_core_(ranks_per_core),
      costs_(ranks_per_core),
      tags_(std::move(own)) {}

int CommContext::copy_attribute(MPI_Comm, int, void*, void* from, void* to, int* flag) {
  const CommContext& original = *static_cast<CommContext*>(from);
  // MPI_Comm_dup is collective and blocking, and so is this: the copy gets a private communicator of its own, which all
  // ranks must go and make, whatever they are short of.
  std::shared_ptr<PrivateComm> own;
  std::unique_ptr<CommContext> copy;
  int code = MPI_SUCCESS;
  try {
    own = std::make_shared<PrivateComm>();
    copy = std::make_unique<CommContext>(own, original.grid_, original.neighborhood_, original.settings_,
                                         original.ranks_per_core_);
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  }
  try {
    PrivateComm for_nobody;
    (own == nullptr ? for_nobody : *own).duplicate(original.tags_.comm()->get());
  } catch (const Error& error) {
    remember_error(error.error_class(), error.what());
    return error.error_class();
  }
  if (code != MPI_SUCCESS) return code;
  *static_cast<void**>(to) = copy.release();
  *flag = 1;
  return MPI_SUCCESS;
}

int CommContext::delete_attribute(MPI_Comm, int, void* context, void*) {
  delete static_cast<CommContext*>(context);
  return MPI_SUCCESS;
}

int CommContext::keyval() {
  static const int keyval = [] {
    int created = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(copy_attribute, delete_attribute, &created, nullptr), "MPI_Comm_create_keyval");
    return created;
  }();
  return keyval;
}

CommContext& CommContext::of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    throw Error(MPI_ERR_COMM, "comm: is MPI_COMM_NULL, must be made by Rondo_Cart_neighborhood_create");
  void* context = nullptr;
  int flag = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval(), static_cast<void*>(&context), &flag), "comm");
  if (flag == 0) {
    throw Error(MPI_ERR_TOPOLOGY, "comm: has no neighborhood, must be made by Rondo_Cart_neighborhood_create");
  }
  return *static_cast<CommContext*>(context);
}

void CommContext::attach(MPI_Comm comm, std::unique_ptr<CommContext> context) {
  check_mpi(MPI_Comm_set_attr(comm, keyval(), context.get()), "MPI_Comm_set_attr");
  static_cast<void>(context.release());  // the attribute's now
}

}  // namespace rondo
