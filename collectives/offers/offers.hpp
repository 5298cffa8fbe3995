/// @file
/// Offers: the user's algorithms that the collectives of a communicator may use.
#ifndef RONDO_COLLECTIVES_OFFERS_OFFERS_HPP
#define RONDO_COLLECTIVES_OFFERS_OFFERS_HPP

#include <rondo/own/offer.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A user's algorithm, and the collective for which it is offered.
struct AlgorithmOffer {
  DenseCollective collective;
  OfferedAlgorithm algorithm;
};

/// All algorithms offered to a communicator, in the order in which they were offered, the same on all ranks. Never
/// changed, only replaced.
struct Offers {
  std::vector<AlgorithmOffer> all;

  /// Calls visit(algorithm) for each algorithm offered for a collective.
  template <typename Visit>
  void for_each_of(DenseCollective collective, Visit visit) const {
    for (const AlgorithmOffer& offer : all) {
      if (offer.collective == collective) visit(offer.algorithm);
    }
  }
  /// Returns the maximum number of tags that any algorithm offered for a collective needs.
  [[nodiscard]] std::uint32_t most_tags(DenseCollective collective) const {
    int most = 0;
    for_each_of(collective, [&](const OfferedAlgorithm& algorithm) { most = std::max(most, algorithm.messages); });
    return static_cast<std::uint32_t>(most);
  }
};

}  // namespace rondo::internal

#endif
