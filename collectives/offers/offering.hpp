/// @file
/// take_offer(): offers a user's algorithm to a communicator.
#ifndef RONDO_COLLECTIVES_OFFERS_OFFERING_HPP
#define RONDO_COLLECTIVES_OFFERS_OFFERING_HPP

#include "collectives/communicators/dense_context.hpp"
#include "collectives/offers/offers.hpp"

namespace rondo::internal {

/// Adds an algorithm to a communicator's offers and forgets earlier choices. Collective. Throws on all ranks: see
/// offer().
void take_offer(DenseContext& context, DenseCollective collective, const OfferedAlgorithm& algorithm);

}  // namespace rondo::internal

#endif
