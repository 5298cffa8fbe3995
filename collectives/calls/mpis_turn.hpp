/// @file
/// MpisTurn: a blocking call that is for MPI's own function.
#ifndef RONDO_COLLECTIVES_CALLS_MPIS_TURN_HPP
#define RONDO_COLLECTIVES_CALLS_MPIS_TURN_HPP

#include "collectives/calls/timed_call.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace rondo::internal {

/// Does what a blocking call does by MPI's own function, with all of its arguments, on the user's communicator. Is told
/// whether all further calls for the same problem are MPI's. A rank inside it drives nothing of Rondo's: so it is only
/// for those whose ranks wait for no operation of another that is in there, as in the plug-in.
using CallOfMpi = std::function<void(bool for_good)>;

/// Whether a blocking call is for that.
class MpisTurn {
 public:
  /// It is. `timed`: for those who learn; null where nothing is learned any more. With the calls' mutex locked. The
  /// call is not one of those that its communicator counts, as ranks may know beforehand that it is MPI's.
  void begin(std::unique_ptr<TimedCall> timed) {
    if (timed != nullptr) timed->begun_by_mpi();
    timed_ = std::move(timed);
    has_begun_ = true;
  }
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  /// Without the mutex.
  void run(const CallOfMpi& call) {
    call(timed_ == nullptr);
    if (timed_ != nullptr) timed_->is_finished();
  }

 private:
  bool has_begun_ = false;
  std::unique_ptr<TimedCall> timed_;
};

}  // namespace rondo::internal

#endif
