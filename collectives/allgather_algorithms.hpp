/// @file
/// The Cartesian allgather algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_ALLGATHER_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_ALLGATHER_ALGORITHMS_HPP

#include "collectives/allgather_problem.hpp"
#include "collectives/allgather_tree.hpp"

namespace rondo {

void build_direct_allgather(const AllgatherProblem& problem, ScheduleBuilder& builder);
/// Needs a uniform problem wherever blocks pass through processes at which no neighbor ends.
void build_combining_allgather(const AllgatherProblem& problem, const AllgatherTree& tree, ScheduleBuilder& builder);

}  // namespace rondo

#endif
