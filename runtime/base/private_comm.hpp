/// @file
/// The communicator that Rondo's own messages travel on.
#ifndef RONDO_RUNTIME_BASE_PRIVATE_COMM_HPP
#define RONDO_RUNTIME_BASE_PRIVATE_COMM_HPP

#include <mpi.h>

#include "runtime/base/text_line.hpp"

#include <atomic>
#include <string_view>

namespace rondo::internal {

/// A communicator of the same processes as a user's that nobody else knows and that returns errors; nothing of what the
/// user attached to his is on it. Shared by the operations on it, freed with the last of them.
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
  /// The same without waiting, for which MPI has MPI_Comm_idup only, which copies the user's attributes: it is there
  /// when advance_duplicate() says so. Collective, nonblocking.
  void begin_duplicate(MPI_Comm comm);
  /// Whether the communicator is there. By one thread at a time; a call of MPI, until it is. Throws Error.
  [[nodiscard]] bool advance_duplicate();
  /// Whether there is a communicator. Any thread may ask.
  [[nodiscard]] bool made() const noexcept {
    return made_.load(std::memory_order_acquire);  // acquire: who sees it also sees comm_
  }
  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
  /// What it is a duplicate of, for people (describe_comm); empty before it was begun.
  [[nodiscard]] std::string_view original() const noexcept { return original_.view(); }
  /// Leaves it to MPI_Finalize to free: a message on it was given up, which may still arrive, and must not meet the
  /// receives of a later communicator that got the same place in MPI. Enough if one rank does so. Any thread.
  void keep() const noexcept { kept_.store(true, std::memory_order_relaxed); }  // relaxed: read after the last release

 private:
  TextLine original_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm coming_ = MPI_COMM_NULL;  ///< MPI's to write until request_ is complete
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::atomic<bool> made_ = false;
  mutable std::atomic<bool> kept_ = false;
};

/// Highest tag that MPI allows.
[[nodiscard]] int highest_tag();

}  // namespace rondo::internal

#endif
