/// @file
/// How much of a core a process got: a busy machine shows there, and two ranks that share a core.
#ifndef RONDO_EXAMPLES_STENCIL_CORE_SHARE_HPP
#define RONDO_EXAMPLES_STENCIL_CORE_SHARE_HPP

#include <mpi.h>

#include <ctime>

namespace stencil {

/// Times taken with less than that are those of something else as well. Ranks that wait do so busily.
constexpr double kUndisturbedShare = 0.9;

class CoreShare {
 public:
  /// Begins now.
  CoreShare() : wall_(seconds_of(CLOCK_MONOTONIC)), cpu_(seconds_of(CLOCK_PROCESS_CPUTIME_ID)) {}

  /// Up to now, that of the rank that got least. Collective over `comm`.
  [[nodiscard]] double least(MPI_Comm comm) const {
    double share = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_) / (seconds_of(CLOCK_MONOTONIC) - wall_);
    MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_MIN, comm);
    return share;
  }

 private:
  static double seconds_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double wall_;
  double cpu_;
};

}  // namespace stencil

#endif
