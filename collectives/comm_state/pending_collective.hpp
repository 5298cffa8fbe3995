/// @file
/// PendingCollective: a nonblocking collective of MPI's that is waited for, and may be given up.
#ifndef RONDO_COLLECTIVES_COMM_STATE_PENDING_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_PENDING_COLLECTIVE_HPP

#include <mpi.h>

#include "collectives/comm_state/waiting.hpp"
#include "runtime/base/private_comm.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace rondo::internal {

/// Waits until no duplicate of `comm` is under way that this process has begun (PrivateComm::begin_duplicate): Open MPI
/// 4.1 mixes it up with another one, and with other collectives on `comm`. Throws Error, and TimedOut: `comm` is given
/// up then.
void wait_for_duplicates_of(MPI_Comm comm);
/// Waits until a private communicator is there that PrivateComm::begin_duplicate() has begun. Throws Error, and
/// TimedOut where `patience` ends: it is given up then.
void wait_for_duplicate(PrivateComm& own, Patience patience);

/// MPI cannot cancel a collective. So where RONDO_TIMEOUT is set MPI works on memory of its own, which stays after the
/// wait was given up, until the collective is complete; elsewhere on the caller's.
class PendingCollective {
 public:
  /// On `bytes`, which are what all ranks have afterwards. Without memory for a copy they are the caller's, and the
  /// wait is never given up. Waits for a duplicate of `comm` that is under way. Throws Error, MPI_ERR_OTHER, where an
  /// earlier wait on `comm` was given up, and as wait() does.
  PendingCollective(std::span<std::byte> bytes, MPI_Comm comm);
  PendingCollective(const PendingCollective&) = delete;
  PendingCollective& operator=(const PendingCollective&) = delete;
  ~PendingCollective();

  // For the call that begins it.
  [[nodiscard]] void* memory() const noexcept;
  [[nodiscard]] MPI_Request* request() noexcept;
  /// While operations in flight go on. Throws Error when MPI fails, and TimedOut after RONDO_TIMEOUT: `comm` is given
  /// up then.
  void wait();

 private:
  struct Kept;
  void take() noexcept;

  std::span<std::byte> bytes_;
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;  ///< where the memory is the caller's
  std::unique_ptr<Kept> kept_;              ///< where it is not
};

}  // namespace rondo::internal

#endif
