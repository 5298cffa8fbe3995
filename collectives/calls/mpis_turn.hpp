/// @file
/// MpisTurn: a blocking call that may be made by MPI's own function.
#ifndef RONDO_COLLECTIVES_CALLS_MPIS_TURN_HPP
#define RONDO_COLLECTIVES_CALLS_MPIS_TURN_HPP

#include "collectives/calls/timed_call.hpp"

#include <memory>
#include <utility>

namespace rondo::internal {

/// The offer of a blocking call's maker to make the call by MPI's own function, with all of its arguments, on the
/// user's communicator. If calls learn, that function is a candidate and may win. A rank inside it drives nothing of
/// Rondo's, so the offer is only for callers whose ranks never wait for an operation of a rank in there, as in the
/// plug-in.
class MpisTurn {
 public:
  /// `is_recognized`: once that function has won, calls are known to be MPI's before anything is looked up.
  explicit MpisTurn(bool is_recognized = true) noexcept : is_recognized_(is_recognized) {}

  /// Records that the call is for MPI's own function, and nothing was done. `timed`: times the call; null if nothing is
  /// learned any more. `for_good`: whether all calls with equal arguments but buffers are for that function. Call with
  /// the calls' mutex locked. The communicator does not count it, because ranks may know beforehand that it is MPI's.
  void begin(std::unique_ptr<TimedCall> timed, bool for_good) {
    if (timed != nullptr) timed->begun_by_mpi(is_recognized_);
    timed_ = std::move(timed);
    is_for_good_ = for_good;
    has_begun_ = true;
  }
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  [[nodiscard]] bool is_for_good() const noexcept { return is_for_good_; }
  /// Records that MPI's own function has returned. Call without the mutex.
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
