// Layouts are remembered as attributes of their datatypes: a handle may be reused after it is freed, an attribute not.
#include <rondo/error.hpp>

#include "datatypes/layout.hpp"
#include "datatypes/mpi_check.hpp"

#include <mutex>

#include <new>

namespace rondo {
namespace {

using SharedLayout = std::shared_ptr<const Layout>;

// A duplicate is the same data, so it shares the layout.
int copy_layout(MPI_Datatype, int, void*, void* from, void* to, int* flag) {
  auto* copy = new (std::nothrow) SharedLayout(*static_cast<SharedLayout*>(from));
  if (copy == nullptr) return MPI_ERR_NO_MEM;
  *static_cast<void**>(to) = copy;
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_layout(MPI_Datatype, int, void* layout, void*) {
  delete static_cast<SharedLayout*>(layout);
  return MPI_SUCCESS;
}

int layout_keyval() {
  static const int keyval = [] {
    int created = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Type_create_keyval(copy_layout, delete_layout, &created, nullptr), "MPI_Type_create_keyval");
    return created;
  }();
  return keyval;
}

}  // namespace

std::shared_ptr<const Layout> layout_of(MPI_Datatype type, MPI_Comm probe) {
  static std::mutex mutex;  // two threads may see one datatype for the first time at once
  const std::scoped_lock lock(mutex);
  void* found = nullptr;
  int flag = 0;
  check_mpi(MPI_Type_get_attr(type, layout_keyval(), static_cast<void*>(&found), &flag), "MPI_Type_get_attr");
  if (flag != 0) return *static_cast<SharedLayout*>(found);
  // MPI has no query for "committed"; a send to nobody checks it, of one element, as MPICH lets empty messages pass.
  // Done once: a committed type stays committed.
  char nothing = 0;
  if (MPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, probe) != MPI_SUCCESS) {
    throw Error(MPI_ERR_TYPE, "datatype is not committed: call MPI_Type_commit before communicating with it");
  }
  auto layout = std::make_unique<SharedLayout>(std::make_shared<const Layout>(flatten(type)));
  check_mpi(MPI_Type_set_attr(type, layout_keyval(), layout.get()), "MPI_Type_set_attr");
  return *layout.release();
}

}  // namespace rondo
