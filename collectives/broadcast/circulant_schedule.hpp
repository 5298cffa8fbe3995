/// @file
/// CirculantSchedule: which part of a block a rank sends and receives in which round of Träff's broadcast.
#ifndef RONDO_COLLECTIVES_BROADCAST_CIRCULANT_SCHEDULE_HPP
#define RONDO_COLLECTIVES_BROADCAST_CIRCULANT_SCHEDULE_HPP

#include <vector>

namespace rondo::internal::broadcast {

/// Round k of each q rounds goes along skip k of the circulant graph of p ranks. The numbers of parts are those of the
/// first q rounds; every q rounds further they are q more. A number below 0 is no part.
struct CirculantSchedule {
  std::vector<int> skips;    ///< circulant_skips(p): q of them, and p
  std::vector<int> receive;  ///< q numbers: of the part that comes from rank r - skips[k]
  std::vector<int> send;     ///< q numbers: of the part that goes to rank r + skips[k]

  /// q, the rounds in which one part reaches all ranks.
  [[nodiscard]] int rounds() const noexcept { return static_cast<int>(receive.size()); }
};

/// For rank r of p, counted from the root on, by itself: O(log^2 p).
[[nodiscard]] CirculantSchedule circulant_schedule(int p, int r);

}  // namespace rondo::internal::broadcast

#endif
