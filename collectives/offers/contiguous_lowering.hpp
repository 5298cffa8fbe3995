/// @file
/// Algorithms of the user's own on contiguous buffers, for tests and predictions.
#ifndef RONDO_COLLECTIVES_OFFERS_CONTIGUOUS_LOWERING_HPP
#define RONDO_COLLECTIVES_OFFERS_CONTIGUOUS_LOWERING_HPP

#include <rondo/own/offer.hpp>

#include "collectives/own/own_builder.hpp"

namespace rondo::internal {

/// Has an algorithm write the schedule of the builder's rank: what is sent lies in the send buffer, one block after the
/// other, and what is received in the receive buffer. Throws Error for a problem that cannot be, and what the algorithm
/// throws.
void lower_contiguous(const OfferedAlgorithm& algorithm, const DenseProblem& problem, OwnBuilder& builder);

}  // namespace rondo::internal

#endif
