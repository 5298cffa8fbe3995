/// @file
/// Alltoall around the ring of all processes.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_RING_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_RING_HPP

#include "collectives/cart_alltoall/problem.hpp"

namespace rondo::internal::alltoall {

/// EuroMPI 2015, section 5.3, the general case: the processes form a ring by rank, and blocks travel along it by powers
/// of two, in ceil(log2(r + 1)) rounds for a longest distance r, or in twice as many over shorter distances in both
/// directions where that takes fewer. Needs a uniform problem. O(t * 2^d * log r): with each dimension that it wraps
/// around, an offset has another distance.
void build_ring(const Problem& problem, ScheduleBuilder& builder);

/// What that does and costs; volume as the average over all processes, as it differs from one to the other. Infinite
/// time where there are so many ways to look at that no prediction is worth it.
[[nodiscard]] Prediction predict_ring(const Problem& problem);

}  // namespace rondo::internal::alltoall

#endif
