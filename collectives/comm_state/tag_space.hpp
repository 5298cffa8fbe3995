/// @file
/// TagSpace: the tags of the private communicator that belong to each operation.
#ifndef RONDO_COLLECTIVES_COMM_STATE_TAG_SPACE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_TAG_SPACE_HPP

#include <mpi.h>

#include "runtime/base/mix.hpp"
#include "runtime/base/private_comm.hpp"

#include <cstdint>
#include <memory>

namespace rondo::internal {

/// The tags of a communicator. Ranges are handed out in the order of the calls, so that an operation has the same range
/// on all ranks. The lower half of the tags is for nonblocking operations, used cyclically: a range comes back only
/// after more operations than can be in flight. The upper half is for persistent operations, whose ranges live until
/// they are freed: when it is used up, a fresh communicator begins a new one. The highest tag is never handed out: see
/// MpiTransport::look().
class TagSpace {
 public:
  /// Hands out tags below `highest` of a private communicator.
  explicit TagSpace(std::shared_ptr<const PrivateComm> comm, int highest = highest_tag());

  struct TagRange {
    std::shared_ptr<const PrivateComm> comm;
    int first_tag;
  };
  /// Returns the first tag, on comm(), of the next nonblocking operation, and take_nonblocking() takes the range. There
  /// are two steps so that nothing is taken if something fails in between. Local. Throws Error (MPI_ERR_OTHER) if the
  /// operation needs more tags than there are.
  [[nodiscard]] int next_nonblocking(std::uint32_t tags) const;
  void take_nonblocking(int first, std::uint32_t tags) noexcept { next_nonblocking_ = first + static_cast<int>(tags); }

  /// Makes room, in two steps, for a next persistent range of `most` tags, the same on all ranks. That may take a new
  /// communicator. prepare_room() is local and does all that can fail on one rank alone; make_room() is collective.
  void prepare_room(std::uint32_t most);
  void make_room(std::uint32_t most);
  /// Returns whether there is room for `most` tags without a new communicator; the same on all ranks.
  [[nodiscard]] bool has_room(std::uint32_t most) const;
  /// Returns the next persistent range, and take_persistent() takes it. There are two steps so that ranks can agree in
  /// between that nothing went wrong. Local. Throws Error (MPI_ERR_OTHER) if there is no room for `tags`.
  [[nodiscard]] TagRange next_persistent(std::uint32_t tags) const;
  void take_persistent(std::uint32_t tags) noexcept { next_persistent_ += static_cast<int>(tags); }

  [[nodiscard]] const std::shared_ptr<const PrivateComm>& comm() const noexcept { return comm_; }
  /// Returns a number that is the same on all ranks if they took the same ranges.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept {
    return mix(static_cast<std::uint64_t>(next_nonblocking_), static_cast<std::uint64_t>(next_persistent_));
  }

 private:
  void check(std::uint32_t tags, int room) const;

  std::shared_ptr<const PrivateComm> comm_;  ///< the first one, on which nonblocking operations stay
  std::shared_ptr<const PrivateComm> persistent_comm_;
  std::shared_ptr<PrivateComm> next_comm_;  ///< not made yet
  int half_;
  int highest_;
  int next_nonblocking_ = 0;
  int next_persistent_;
};

}  // namespace rondo::internal

#endif
