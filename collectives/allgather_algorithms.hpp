/// @file
/// The Cartesian allgather algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_ALLGATHER_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_ALLGATHER_ALGORITHMS_HPP

#include "collectives/allgather_problem.hpp"
#include "collectives/allgather_tree.hpp"
#include "collectives/selection.hpp"

#include <string_view>

namespace rondo {

void build_direct_allgather(const AllgatherProblem& problem, ScheduleBuilder& builder);
/// What that does and costs. The problem must be uniform; blocks count as large as the largest.
[[nodiscard]] Prediction predict_direct_allgather(const AllgatherProblem& problem);

/// Needs a uniform problem wherever blocks pass through processes at which no neighbor ends. O(t + edges), on a mesh or
/// with sizes that differ O(t + edges * d).
void build_combining_allgather(const AllgatherProblem& problem, const AllgatherTree& tree, ScheduleBuilder& builder);
/// What that does and costs, from the tree alone. The problem must be uniform; blocks count as large as the largest.
/// O(edges).
[[nodiscard]] Prediction predict_combining_allgather(const AllgatherProblem& problem, const AllgatherTree& tree);

using AllgatherAlgorithm = Algorithm<AllgatherProblem>;
using AllgatherPlan = Plan<AllgatherProblem>;

[[nodiscard]] const Registry<AllgatherProblem>& allgather_registry();

/// choose() among the allgather algorithms.
[[nodiscard]] Chosen choose_allgather(const AllgatherProblem& problem, std::string_view algorithm, Ordering ordering,
                                      MessageForm form = MessageForm::automatic);

}  // namespace rondo

#endif
