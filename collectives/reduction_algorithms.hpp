/// @file
/// The neighborhood reductions, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_REDUCTION_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_REDUCTION_ALGORITHMS_HPP

#include "collectives/reduction_problem.hpp"
#include "collectives/selection.hpp"

#include <string_view>

namespace rondo {

using ReductionAlgorithm = Algorithm<ReductionProblem>;
using ReductionPlan = Plan<ReductionProblem>;

/// All of its algorithms are walks along one canonical tree, so that all are reproducible: whichever is chosen, and on
/// every run, the result is the same to the last bit. The problems' `canonical` must not be null.
[[nodiscard]] const Registry<ReductionProblem>& reduction_registry();

/// choose() among the reductions.
[[nodiscard]] Chosen choose_reduction(const ReductionProblem& problem, std::string_view algorithm, Ordering ordering,
                                      MessageForm form = MessageForm::automatic);

}  // namespace rondo

#endif
