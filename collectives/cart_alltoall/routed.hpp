/// @file
/// build_routed(): an alltoall along the paths of an expansion.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_ROUTED_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_ROUTED_HPP

#include "collectives/cart_alltoall/problem.hpp"
#include "collectives/paths/path_expansion.hpp"

namespace rondo::internal::alltoall {

/// Builds the alltoall of ICPP 2019, section 3.1, algorithm 1, for any path expansion: stage by stage, the blocks that
/// take the same step share a message. Needs a uniform problem. On a mesh, a process passes on the blocks whose source
/// and target exist, which it derives locally. O(t * d + block hops).
void build_routed(const Problem& problem, const PathExpansion& expansion, ScheduleBuilder& builder);

}  // namespace rondo::internal::alltoall

#endif
