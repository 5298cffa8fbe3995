/// @file
/// How a communicator takes an algorithm of the user's own.
#ifndef RONDO_COLLECTIVES_OFFERS_OFFERING_HPP
#define RONDO_COLLECTIVES_OFFERS_OFFERING_HPP

#include "collectives/communicators/dense_context.hpp"
#include "collectives/offers/offers.hpp"

namespace rondo::internal {

/// Collective. Throws on all ranks alike: see offer(). What was chosen before is forgotten.
void take_offer(DenseContext& context, DenseCollective collective, const OfferedAlgorithm& algorithm);

}  // namespace rondo::internal

#endif
