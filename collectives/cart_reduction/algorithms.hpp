/// @file
/// The neighborhood reductions, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_ALGORITHMS_HPP

#include "collectives/cart_reduction/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <string_view>
#include <vector>

namespace rondo::internal::reduction {

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Returns the table of the neighborhood reductions. All algorithms are walks along one canonical tree, so that the
/// result is the same to the last bit on every run, whichever algorithm is chosen.
[[nodiscard]] const Registry<Problem>& registry();

/// Returns node-aware plans, which cross all stages in one hop through carriers, or none if they do not apply.
[[nodiscard]] std::vector<Plan> node_aware(const Problem& problem);

/// Calls choose() with the reductions.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

}  // namespace rondo::internal::reduction

#endif
