/// @file
/// build_ring() and predict_ring(): an alltoall around the ring of all processes.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_RING_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_RING_HPP

#include "collectives/cart_alltoall/problem.hpp"

namespace rondo::internal::alltoall {

/// Builds the alltoall of EuroMPI 2015, section 5.3, in the general case: the processes form a ring by rank, and blocks
/// travel along it by powers of two, in ceil(log2(r + 1)) rounds for a longest distance r. If that takes fewer rounds,
/// blocks travel in both directions, over shorter distances. Needs a uniform problem. O(t * 2^d * log r), as an offset
/// has another distance for each dimension that it wraps around.
void build_ring(const Problem& problem, ScheduleBuilder& builder);

/// Returns the prediction of what build_ring() does and costs. The volume is the average over all processes, because it
/// differs between them. The time is infinite if there are too many ways to examine.
[[nodiscard]] Prediction predict_ring(const Problem& problem);

}  // namespace rondo::internal::alltoall

#endif
