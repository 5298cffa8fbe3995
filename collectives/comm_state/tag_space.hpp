/// @file
/// TagSpace: which tags of the private communicator belong to which operation.
#ifndef RONDO_COLLECTIVES_COMM_STATE_TAG_SPACE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_TAG_SPACE_HPP

#include <mpi.h>

#include "runtime/base/mix.hpp"
#include "runtime/base/private_comm.hpp"

#include <cstdint>
#include <memory>

namespace rondo::internal {

/// Hands out ranges of tags, in the order of the calls, so that all ranks give an operation the same. The
/// lower half of the tags is for nonblocking operations, used over and over: a range comes back only after more
/// operations than can be in flight. The upper half is for persistent ones, whose ranges live until they are freed:
/// when it is used up, a fresh communicator begins a new one. The highest tag is nobody's: see MpiTransport::look().
class TagSpace {
 public:
  /// Tags up to `highest` of a private communicator.
  explicit TagSpace(std::shared_ptr<const PrivateComm> comm, int highest = highest_tag());

  struct TagRange {
    std::shared_ptr<const PrivateComm> comm;
    int first_tag;
  };
  /// The first tag, on comm(), of the next nonblocking operation, which take_nonblocking() makes the caller's: in two
  /// steps, so that nothing was taken when something fails in between. Local. Throws Error, MPI_ERR_OTHER, when it
  /// needs more tags than there are.
  [[nodiscard]] int next_nonblocking(std::uint32_t tags) const;
  void take_nonblocking(int first, std::uint32_t tags) noexcept { next_nonblocking_ = first + static_cast<int>(tags); }

  /// See to it that the next persistent range may have `most` tags, the same on all ranks: that may take a new
  /// communicator. prepare_room() is local and does all that can fail on one rank alone; make_room() is collective.
  void prepare_room(std::uint32_t most);
  void make_room(std::uint32_t most);
  /// Whether there is room for them as it is; the same on all ranks.
  [[nodiscard]] bool has_room(std::uint32_t most) const;
  /// The next persistent range, which take_persistent() makes the caller's: local, and in two steps, so that ranks can
  /// agree in between that nothing went wrong. Throws Error, MPI_ERR_OTHER, when there is no room for `tags`.
  [[nodiscard]] TagRange next_persistent(std::uint32_t tags) const;
  void take_persistent(std::uint32_t tags) noexcept { next_persistent_ += static_cast<int>(tags); }

  [[nodiscard]] const std::shared_ptr<const PrivateComm>& comm() const noexcept { return comm_; }
  /// A number that is the same on all ranks if they took the same.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept {
    return mix(static_cast<std::uint64_t>(next_nonblocking_), static_cast<std::uint64_t>(next_persistent_));
  }

 private:
  void check(std::uint32_t tags, int room) const;

  std::shared_ptr<const PrivateComm> comm_;  ///< nonblocking operations stay on the first one
  std::shared_ptr<const PrivateComm> persistent_comm_;
  std::shared_ptr<PrivateComm> next_comm_;  ///< not made yet
  int half_;
  int highest_;
  int next_nonblocking_ = 0;
  int next_persistent_;
};

}  // namespace rondo::internal

#endif
