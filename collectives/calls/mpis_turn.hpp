/// @file
/// MpisTurn: a blocking call that is for MPI's own function.
#ifndef RONDO_COLLECTIVES_CALLS_MPIS_TURN_HPP
#define RONDO_COLLECTIVES_CALLS_MPIS_TURN_HPP

#include "collectives/calls/timed_call.hpp"

#include <memory>
#include <utility>

namespace rondo::internal {

/// Given to a blocking call by who can do it by MPI's own function instead, with all of its arguments, on the user's
/// communicator: where calls learn, that function has turns, and may win. A rank inside it drives nothing of Rondo's.
/// So it is only for those whose ranks never wait for an operation of another that is in there, as in the plug-in.
class MpisTurn {
 public:
  /// `is_recognized`: where that function has won, calls are known to be MPI's before anything is looked up.
  explicit MpisTurn(bool is_recognized = true) noexcept : is_recognized_(is_recognized) {}

  /// The call is for MPI's own function, and nothing was done. `timed`: for those who learn; null where nothing is
  /// learned any more. `for_good`: so are all calls with equal arguments but buffers. With the calls' mutex locked. The
  /// call is not one of those that its communicator counts, as ranks may know beforehand that it is MPI's.
  void begin(std::unique_ptr<TimedCall> timed, bool for_good) {
    if (timed != nullptr) timed->begun_by_mpi(is_recognized_);
    timed_ = std::move(timed);
    is_for_good_ = for_good;
    has_begun_ = true;
  }
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  [[nodiscard]] bool is_for_good() const noexcept { return is_for_good_; }
  /// The function has returned. Without the mutex.
  void is_over() noexcept {
    if (timed_ != nullptr) timed_->is_finished();
  }

 private:
  bool is_recognized_;
  bool has_begun_ = false;
  bool is_for_good_ = false;
  std::unique_ptr<TimedCall> timed_;
};

}  // namespace rondo::internal

#endif
