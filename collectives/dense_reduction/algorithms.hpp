/// @file
/// The algorithms of allreduce and reduce-scatter, and the functions that choose among them.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_ALGORITHMS_HPP

#include "collectives/dense_reduction/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal::dense_reduction {

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Returns the registry of all these algorithms. A row offers no plans for a problem that it cannot solve, such as one
/// that needs an order.
[[nodiscard]] const Registry<Problem>& registry();

/// Builds the named algorithm, or the cheapest plan of all for "auto"; see choose(). Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// Returns the maximum number of tags that any schedule for `size` ranks needs, whatever the options.
[[nodiscard]] std::uint32_t most_tags(int size);

// The lowerings and their predictions, one file each.

/// Builds the direct algorithm: every rank sends to every other and combines the arriving vectors in the order of the
/// ranks. All exchanges are in flight at once, or `ports` of them at a time. Keeps order.
void build_direct(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem);

/// Builds recursive doubling for an allreduce: ranks exchange running results at distances 1, 2, 4, ... Keeps order.
void build_recursive_doubling(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_recursive_doubling(const Problem& problem);

/// Builds the node-aware allreduce: one rank of each node combines its node's vectors and exchanges the results with
/// other nodes. Keeps order if the ranks of each node are consecutive, node by node. The problem must have nodes.
void build_node_aware(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem);
/// Returns whether the ranks of each node are consecutive, node by node.
[[nodiscard]] bool nodes_keep_order(const NodeMembers& nodes);

// Algorithms for commutative operations.

/// Builds halving and doubling for an allreduce: each rank combines a part of the vector, half as long in each round,
/// and hands the result back.
void build_halving_doubling(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_halving_doubling(const Problem& problem);
/// Builds recursive halving for a reduce-scatter: the first half of build_halving_doubling().
void build_recursive_halving(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_recursive_halving(const Problem& problem);
/// Builds the node-aware reduce-scatter: each node combines its parts for every other node before it sends them there,
/// and the ranks of a node share these messages. The problem must have nodes.
void build_node_aware_scatter(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware_scatter(const Problem& problem);
/// Builds the ring, for both collectives: partial results travel around all ranks.
void build_ring(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_ring(const Problem& problem);
/// Builds the circulant algorithm, for both collectives: as few rounds as possible, for any number of ranks.
void build_circulant(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_circulant(const Problem& problem);

}  // namespace rondo::internal::dense_reduction

#endif
