/// @file
/// The algorithms of allreduce and reduce-scatter, and how one is chosen.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_ALGORITHMS_HPP

#include "collectives/dense_reduction/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal::dense_reduction {

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// All of them. A row that does not apply to a problem, such as to one whose order must be kept, offers no plans.
[[nodiscard]] const Registry<Problem>& registry();

/// Builds what the name says, or the cheapest plan of all for "auto"; see choose(). Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// As many tags as any schedule for `size` ranks may need, whatever the options.
[[nodiscard]] std::uint32_t most_tags(int size);

// The lowerings and their predictions, one file each.

/// Everybody sends to everybody, and combines what comes in the order of the ranks: all exchanges at once, or `ports`
/// of them at a time. Keeps order.
void build_direct(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem);

/// Allreduce: each rank's sums go to partners at distances 1, 2, 4, ... Keeps order.
void build_recursive_doubling(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_recursive_doubling(const Problem& problem);

/// Allreduce: one rank of each node combines what its node has, and exchanges that with those of other nodes. Keeps
/// order where the ranks of each node come one after the other, node by node. There are nodes.
void build_node_aware(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem);
[[nodiscard]] bool nodes_keep_order(const NodeMembers& nodes);

// Of operations that are commutative.

/// Allreduce: each rank combines a part of the vector, half as long in each round, and hands it back.
void build_halving_doubling(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_halving_doubling(const Problem& problem);
/// Reduce-scatter: the first half of that.
void build_recursive_halving(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_recursive_halving(const Problem& problem);
/// Reduce-scatter: nodes combine what they have for each other one, and send that, each to some of its ranks. There are
/// nodes.
void build_node_aware_scatter(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware_scatter(const Problem& problem);
/// Both: sums go round.
void build_ring(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_ring(const Problem& problem);
/// Both, in as few rounds as can be, for any number of ranks.
void build_circulant(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_circulant(const Problem& problem);

}  // namespace rondo::internal::dense_reduction

#endif
