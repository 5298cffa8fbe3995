/// @file
/// AttributeKey: what Rondo hangs on communicators of MPI's.
#ifndef RONDO_COLLECTIVES_COMM_STATE_ATTRIBUTE_KEY_HPP
#define RONDO_COLLECTIVES_COMM_STATE_ATTRIBUTE_KEY_HPP

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <atomic>
#include <cstdint>
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
    // acquire: who sees that an object is gone looks for it anew
    const std::uint64_t gone = gone_.load(std::memory_order_acquire);
    if (last_.object != nullptr && last_.comm == comm && last_.gone == gone) [[likely]]
      return last_.object;
    void* found = nullptr;
    int flag = 0;
    check_mpi(MPI_Comm_get_attr(comm, key_, static_cast<void*>(&found), &flag), "comm");
    if (flag == 0) return nullptr;
    last_ = {comm, gone, static_cast<T*>(found)};
    return last_.object;
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
    gone_.fetch_add(1, std::memory_order_release);  // release: before the communicator's handle can come back
    return MPI_SUCCESS;
  }

  /// What this thread found last, as long as none of the objects has gone since: MPI takes 20 ns to say so again.
  struct Last {
    MPI_Comm comm;
    std::uint64_t gone;
    T* object;  ///< null: nothing yet
  };
  static inline constinit thread_local Last last_{};
  static inline std::atomic<std::uint64_t> gone_ = 0;  ///< objects

  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace rondo::internal

#endif
