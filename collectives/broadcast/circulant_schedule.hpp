/// @file
/// CirculantSchedule: the parts of a block that a rank sends and receives in each round of Träff's broadcast.
#ifndef RONDO_COLLECTIVES_BROADCAST_CIRCULANT_SCHEDULE_HPP
#define RONDO_COLLECTIVES_BROADCAST_CIRCULANT_SCHEDULE_HPP

#include <vector>

namespace rondo::internal::broadcast {

/// The parts that a rank sends and receives in a circulant broadcast. Round k of each q rounds goes along skip k of the
/// circulant graph of p ranks. The part numbers are for the first q rounds and grow by q every q rounds. A number below
/// 0 means no part.
struct CirculantSchedule {
  std::vector<int> skips;    ///< circulant_skips(p): q skips, then p
  std::vector<int> receive;  ///< q numbers: the part that comes from rank r - skips[k]
  std::vector<int> send;     ///< q numbers: the part that goes to rank r + skips[k]

  /// Returns q, the number of rounds in which one part reaches all ranks.
  [[nodiscard]] int rounds() const noexcept { return static_cast<int>(receive.size()); }
};

/// Returns the schedule of rank r of p, counted from the root on, without asking other ranks: O(log^2 p).
[[nodiscard]] CirculantSchedule circulant_schedule(int p, int r);

}  // namespace rondo::internal::broadcast

#endif
