/// @file
/// The barrier's algorithms, and how one is chosen.
#ifndef RONDO_COLLECTIVES_BARRIER_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_BARRIER_ALGORITHMS_HPP

#include "collectives/barrier/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal::barrier {

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Returns all barrier algorithms.
[[nodiscard]] const Registry<Problem>& registry();

/// Chooses among the barrier algorithms: see choose() in selection.hpp. Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// Returns an upper bound of the number of tags of a schedule for `size` ranks.
[[nodiscard]] std::uint32_t most_tags(int size);

/// Builds a dissemination barrier. In each round a rank sends to up to radix - 1 ranks, which are multiples of a power
/// of the radix after it, and waits for the ranks as far before it. Radix p is the direct algorithm: every rank sends
/// to every other.
void build_dissemination(const Problem& problem, int radix, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_dissemination(const Problem& problem, int radix);

/// Builds a node-aware barrier: the lowest rank of each node waits for the other ranks there, then for the lowest ranks
/// of other nodes by dissemination, and then releases the other ranks of its node. `problem.nodes` must not be null.
void build_node_aware(const Problem& problem, int radix, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem, int radix);

}  // namespace rondo::internal::barrier

#endif
