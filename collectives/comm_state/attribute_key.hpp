/// @file
/// AttributeKey: what Rondo hangs on communicators of MPI's.
#ifndef RONDO_COLLECTIVES_COMM_STATE_ATTRIBUTE_KEY_HPP
#define RONDO_COLLECTIVES_COMM_STATE_ATTRIBUTE_KEY_HPP

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <memory>

namespace rondo::internal {

/// A key of attributes that are objects of class T: MPI deletes them with their communicator. To be made once for the
/// process, as MPI never has a key back.
template <typename T>
class AttributeKey {
 public:
  /// `copy`: what duplicating a communicator does with its object; by default the duplicate has none. Throws Error.
  explicit AttributeKey(MPI_Comm_copy_attr_function* copy = MPI_COMM_NULL_COPY_FN) {
    check_mpi(MPI_Comm_create_keyval(copy, drop, &key_, nullptr), "MPI_Comm_create_keyval");
  }

  /// That of a communicator, or null. Local. Throws Error for what is no communicator.
  [[nodiscard]] T* find(MPI_Comm comm) const {
    void* found = nullptr;
    int flag = 0;
    check_mpi(MPI_Comm_get_attr(comm, key_, static_cast<void*>(&found), &flag), "comm");
    return flag == 0 ? nullptr : static_cast<T*>(found);
  }
  /// In place of what it had. Local. Throws Error.
  T& attach(MPI_Comm comm, std::unique_ptr<T> object) const {
    check_mpi(MPI_Comm_set_attr(comm, key_, object.get()), "MPI_Comm_set_attr");
    return *object.release();  // MPI's now
  }
  /// Nothing where it has none: MPI takes that for an error.
  void detach(MPI_Comm comm) const noexcept {
    void* found = nullptr;
    int flag = 0;
    if (MPI_Comm_get_attr(comm, key_, static_cast<void*>(&found), &flag) == MPI_SUCCESS && flag != 0)
      MPI_Comm_delete_attr(comm, key_);
  }

 private:
  static int drop(MPI_Comm, int, void* object, void*) {
    delete static_cast<T*>(object);
    return MPI_SUCCESS;
  }

  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace rondo::internal

#endif
