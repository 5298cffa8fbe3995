/// @file
/// The communicator that Rondo's own messages travel on.
#ifndef RONDO_RUNTIME_PRIVATE_COMM_HPP
#define RONDO_RUNTIME_PRIVATE_COMM_HPP

#include <mpi.h>

#include <atomic>

namespace rondo {

/// A duplicate of a user's communicator that nobody else knows and that returns errors. Shared by the operations on it,
/// freed with the last of them.
class PrivateComm {
 public:
  /// Collective over `comm`, blocking. Throws Error with MPI's class.
  explicit PrivateComm(MPI_Comm comm);
  /// None yet: see duplicate().
  PrivateComm() = default;
  PrivateComm(const PrivateComm&) = delete;
  PrivateComm& operator=(const PrivateComm&) = delete;
  ~PrivateComm();

  /// Duplicates `comm`: for where nothing but MPI may fail between ranks. Collective. Throws Error with MPI's class.
  void duplicate(MPI_Comm comm);
  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
  /// Leaves it to MPI_Finalize to free: a message on it was given up, which may still arrive, and must not meet the
  /// receives of a later communicator that got the same place in MPI. Enough if one rank does so. Any thread.
  void keep() const noexcept { kept_.store(true, std::memory_order_relaxed); }  // relaxed: read after the last release

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable std::atomic<bool> kept_ = false;
};

/// Highest tag that MPI allows.
[[nodiscard]] int highest_tag();

}  // namespace rondo

#endif
