/// @file
/// Alltoall along the paths of an expansion.
#ifndef RONDO_COLLECTIVES_ROUTED_ALLTOALL_HPP
#define RONDO_COLLECTIVES_ROUTED_ALLTOALL_HPP

#include "collectives/alltoall_problem.hpp"
#include "collectives/path_expansion.hpp"

namespace rondo {

/// ICPP 2019, section 3.1, algorithm 1, for any path expansion: stage by stage, the blocks that take the same step
/// share a message. Needs a uniform problem. On a mesh, a process passes on the blocks whose source and target exist,
/// which it can tell by itself. O(t * d + block hops).
void build_routed_alltoall(const AlltoallProblem& problem, const PathExpansion& expansion, ScheduleBuilder& builder);

}  // namespace rondo

#endif
