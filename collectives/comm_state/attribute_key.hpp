/// @file
/// AttributeKey: objects that Rondo attaches to MPI's communicators.
#ifndef RONDO_COLLECTIVES_COMM_STATE_ATTRIBUTE_KEY_HPP
#define RONDO_COLLECTIVES_COMM_STATE_ATTRIBUTE_KEY_HPP

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace rondo::internal {

/// A key of attributes that are objects of class T, which MPI deletes with their communicator. MPI never gives a key
/// back, so make it once for the process.
template <typename T>
class AttributeKey {
 public:
  /// Makes the key. `copy`: MPI's copy function for the object; by default a duplicate has none. Throws Error.
  explicit AttributeKey(MPI_Comm_copy_attr_function* copy = MPI_COMM_NULL_COPY_FN) {
    check_mpi(MPI_Comm_create_keyval(copy, drop, &key_, nullptr), "MPI_Comm_create_keyval");
  }

  /// Returns the object of a communicator, or null. Local. Throws Error if `comm` is no communicator.
  [[nodiscard]] T* find(MPI_Comm comm) const {
    // acquire: a thread that sees that an object is gone searches anew
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
  /// Attaches an object to a communicator, in place of the one that it had. Local. Throws Error.
  T& attach(MPI_Comm comm, std::unique_ptr<T> object) const {
    check_mpi(MPI_Comm_set_attr(comm, key_, object.get()), "MPI_Comm_set_attr");
    return *object.release();  // MPI owns it now
  }
  /// Deletes the object of a communicator. Does nothing if there is none, because MPI would report an error.
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

  /// The object that this thread found last, valid until an object goes. MPI takes 20 ns to find it again.
  struct Last {
    MPI_Comm comm;
    std::uint64_t gone;
    T* object;  ///< null if nothing was found yet
  };
  static inline constinit thread_local Last last_{};
  static inline std::atomic<std::uint64_t> gone_ = 0;  ///< number of objects that have gone

  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace rondo::internal

#endif
