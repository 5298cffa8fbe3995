/// @file
/// Recursive halving.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_HALVING_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_HALVING_HPP

#include "collectives/dense_reduction/folded_ranks.hpp"
#include "collectives/dense_reduction/partial_results.hpp"

#include <functional>

namespace rondo::internal::dense_reduction {

/// Of the ranks that do not give, each ends up with the parts of its place. At distances 2^(k-1), ..., 2, 1 it sends
/// its partner what belongs to the partner's half, and adds what comes to its own (Thakur et al. 2005, section 4.4).
/// `first_part(place)`: of a place, and the number of parts for the place after the last. Uses tags 1 to k.
template <typename FirstPart>
void halve(const FoldedRanks& ranks, int rank, int parts, FirstPart first_part, PartialResults& results,
           ScheduleBuilder& builder) {
  const int place = ranks.place_of(rank);
  std::uint32_t tag = 1;
  for (int distance = ranks.size() / 2; distance > 0; distance /= 2) {
    const int partner = place ^ distance;
    const auto half_of = [&](int of) {
      const int begin = of & -distance;
      return parts_in_a_row(first_part(begin), first_part(begin + distance), parts);
    };
    const Parts sent = half_of(partner);
    const Parts kept = half_of(place);
    builder.begin_phase();
    results.add({ranks.rank_at(partner), sent, ranks.rank_at(partner), kept, tag++}, distance == 1);
  }
}

}  // namespace rondo::internal::dense_reduction

#endif
