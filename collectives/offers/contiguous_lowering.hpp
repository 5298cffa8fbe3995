/// @file
/// lower_contiguous(): lowers a user's algorithm on contiguous buffers, for tests and predictions.
#ifndef RONDO_COLLECTIVES_OFFERS_CONTIGUOUS_LOWERING_HPP
#define RONDO_COLLECTIVES_OFFERS_CONTIGUOUS_LOWERING_HPP

#include <rondo/own/offer.hpp>

#include "collectives/own/own_builder.hpp"

namespace rondo::internal {

/// Makes an algorithm write the schedule of the builder's rank. Sent blocks lie one after the other in the send buffer,
/// received blocks in the receive buffer. Throws Error for an impossible problem, and whatever the algorithm throws.
void lower_contiguous(const OfferedAlgorithm& algorithm, const DenseProblem& problem, OwnBuilder& builder);

}  // namespace rondo::internal

#endif
