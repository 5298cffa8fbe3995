/// @file
/// halve(): builds the rounds of recursive halving.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_HALVING_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_HALVING_HPP

#include "collectives/dense_reduction/folded_ranks.hpp"
#include "collectives/dense_reduction/partial_results.hpp"

#include <functional>

namespace rondo::internal::dense_reduction {

/// Builds the rounds after which each rank that has a place holds the combined parts of that place (Thakur et al. 2005,
/// section 4.4). At distances 2^(k-1), ..., 2, 1 a rank sends its partner the parts of the partner's half and combines
/// the arriving ones with its own. `first_part(place)`: the first part of a place, or the number of parts for the place
/// after the last. Uses tags 1 to k.
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
