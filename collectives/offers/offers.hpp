/// @file
/// Offers: the algorithms of the user's own that a communicator's collectives may take.
#ifndef RONDO_COLLECTIVES_OFFERS_OFFERS_HPP
#define RONDO_COLLECTIVES_OFFERS_OFFERS_HPP

#include <rondo/own/offer.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rondo::internal {

struct AlgorithmOffer {
  DenseCollective collective;
  OfferedAlgorithm algorithm;
};

/// In the order in which they were made, the same on all ranks. Never changed: a communicator takes another one.
struct Offers {
  std::vector<AlgorithmOffer> all;

  /// Calls visit(algorithm) for each of a collective's.
  template <typename Visit>
  void for_each_of(DenseCollective collective, Visit visit) const {
    for (const AlgorithmOffer& offer : all) {
      if (offer.collective == collective) visit(offer.algorithm);
    }
  }
  /// As many tags as any of a collective's may need.
  [[nodiscard]] std::uint32_t most_tags(DenseCollective collective) const {
    int most = 0;
    for_each_of(collective, [&](const OfferedAlgorithm& algorithm) { most = std::max(most, algorithm.messages); });
    return static_cast<std::uint32_t>(most);
  }
};

}  // namespace rondo::internal

#endif
