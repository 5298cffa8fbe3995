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

/// All of its algorithms are walks along one canonical tree, so that all are reproducible: whichever is chosen, and on
/// every run, the result is the same to the last bit. The problems' `canonical` must not be null.
[[nodiscard]] const Registry<Problem>& registry();

/// All stages at once, through carriers.
[[nodiscard]] std::vector<Plan> node_aware(const Problem& problem);

/// choose() among the reductions.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

}  // namespace rondo::internal::reduction

#endif
