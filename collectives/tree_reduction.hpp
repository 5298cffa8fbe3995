/// @file
/// Reductions over a tree.
#ifndef RONDO_COLLECTIVES_TREE_REDUCTION_HPP
#define RONDO_COLLECTIVES_TREE_REDUCTION_HPP

#include "collectives/reduction_hop.hpp"
#include "collectives/reduction_problem.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo {

/// A way to walk the canonical tree of a problem: its stages in hops, from boundary 0 to S. The same on all ranks.
using ReductionWalk = std::vector<ReductionHop>;

/// `ends`: the boundaries at which the hops end, ascending, the last one S.
[[nodiscard]] ReductionWalk walk_in_hops(const CanonicalReduction& canonical, const Grid& grid,
                                         std::span<const std::size_t> ends);

/// Neighborhood reductions (EuroMPI 2015, section 4) by the allgather tree of ICPP 2019, section 3.2, run backwards:
/// hop by hop, the values that take the same step share a message, and each process combines what it receives. All
/// walks associate alike and give the same result to the last bit. `problem.canonical` must not be null.
void build_tree_reduction(const ReductionProblem& problem, std::span<const ReductionHop> walk,
                          ScheduleBuilder& builder);

/// Adds what a hop does and costs.
void predict_hop(const ReductionProblem& problem, const ReductionHop& hop, Prediction& prediction);
/// The same for a walk of a single hop, without making it. O(terms of the tree).
[[nodiscard]] Prediction predict_single_hop(const ReductionProblem& problem);

}  // namespace rondo

#endif
