/// @file
/// PendingCollective: a nonblocking collective of MPI whose wait may be given up.
#ifndef RONDO_COLLECTIVES_COMM_STATE_PENDING_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_PENDING_COLLECTIVE_HPP

#include <mpi.h>

#include "collectives/comm_state/waiting.hpp"
#include "runtime/base/private_comm.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace rondo::internal {

/// Waits until no duplicate of `comm` that this process has begun (PrivateComm::begin_duplicate) is under way, because
/// Open MPI 4.1 mixes it up with another duplicate, and with other collectives on `comm`. Throws Error, and TimedOut,
/// after which `comm` is given up.
void wait_for_duplicates_of(MPI_Comm comm);
/// Waits until a private communicator that PrivateComm::begin_duplicate() has begun is there. Throws Error, and
/// TimedOut if `patience` ends, after which the communicator is given up.
void wait_for_duplicate(PrivateComm& own, Patience patience);

/// A nonblocking collective of MPI, which cannot be canceled. If RONDO_TIMEOUT is set, MPI therefore works on separate
/// memory, which is kept after a wait was given up until the collective is complete. Otherwise it works on the caller's
/// memory.
class PendingCollective {
 public:
  /// Prepares a collective on `bytes`, which hold the result of all ranks afterwards. Without memory for a copy, MPI
  /// works on the caller's bytes and the wait is never given up. Waits for a duplicate of `comm` that is under way.
  /// Throws Error (MPI_ERR_OTHER) if an earlier wait on `comm` was given up, and as wait() does.
  PendingCollective(std::span<std::byte> bytes, MPI_Comm comm);
  PendingCollective(const PendingCollective&) = delete;
  PendingCollective& operator=(const PendingCollective&) = delete;
  ~PendingCollective();

  // Arguments for the MPI call that begins the collective.
  [[nodiscard]] void* memory() const noexcept;
  [[nodiscard]] MPI_Request* request() noexcept;
  /// Waits until the collective is complete, while operations in flight go on. Throws Error if MPI fails, and TimedOut
  /// after RONDO_TIMEOUT, after which `comm` is given up.
  void wait();

 private:
  struct Kept;
  void take() noexcept;

  std::span<std::byte> bytes_;
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;  ///< used if the memory is the caller's
  std::unique_ptr<Kept> kept_;              ///< used if the memory is not the caller's
};

}  // namespace rondo::internal

#endif
