/// @file
/// The Cartesian allgather algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_CART_ALLGATHER_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_CART_ALLGATHER_ALGORITHMS_HPP

#include "collectives/cart_allgather/problem.hpp"
#include "collectives/cart_allgather/tree.hpp"
#include "collectives/selection/selection.hpp"

#include <string_view>

namespace rondo::internal::allgather {

void build_direct(const Problem& problem, ScheduleBuilder& builder);
/// Returns what build_direct() does and costs. The problem must be uniform; every block counts as large as the largest.
[[nodiscard]] Prediction predict_direct(const Problem& problem);

/// Builds the message-combining schedule along a tree. The problem must be uniform if blocks pass through processes at
/// which no neighbor ends. O(t + edges); on a mesh, or if sizes differ, O(t + edges * d).
void build_combining(const Problem& problem, const Tree& tree, ScheduleBuilder& builder);
/// Returns the prediction of what build_combining() does and costs, from the tree alone. The problem must be uniform;
/// every block counts as large as the largest. O(edges).
[[nodiscard]] Prediction predict_combining(const Problem& problem, const Tree& tree);

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Returns node-aware plans, which differ in how many ranks of a node share a message to another node, or none if no
/// node has several ranks or if messages between nodes would be too long.
[[nodiscard]] std::vector<Plan> node_aware(const Problem& problem);

[[nodiscard]] const Registry<Problem>& registry();

/// Calls choose() with the allgather algorithms.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

}  // namespace rondo::internal::allgather

#endif
