/// @file
/// The algorithms of the dense allgather, and the functions that choose among them.
#ifndef RONDO_COLLECTIVES_DENSE_ALLGATHER_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLGATHER_ALGORITHMS_HPP

#include "collectives/dense_allgather/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace rondo::internal::dense_allgather {

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Returns the registry of all dense allgather algorithms. A row that does not apply to a problem offers no plans.
[[nodiscard]] const Registry<Problem>& registry();

/// Builds the algorithm or plan `name` of the dense allgather, or the cheapest of all for "auto"; see choose(). Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// Returns the maximum number of tags that any schedule for `size` ranks and blocks of at most `largest` bytes needs.
[[nodiscard]] std::uint32_t most_tags(int size, std::int64_t largest);

// The lowerings and their predictions, one file each. Predictions are those of the slowest rank.

/// Builds the direct schedule: every rank sends its block to all others, all exchanges at once or `ports` at a time.
void build_direct(const Problem& problem, int ports, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem, int ports);

/// Builds the ring: blocks go around the ring of all ranks, one step in each of p - 1 rounds.
void build_ring(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_ring(const Problem& problem);

/// Builds the concatenation algorithm of Bruck et al. In round k a rank has the blocks of the skips[k] ranks from
/// itself on, and gets the next ones, up to skips[k + 1] in all, from the rank skips[k] after it. `skips`: from 1 to p,
/// each at most twice the last.
void build_concatenation(const Problem& problem, std::span<const int> skips, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_concatenation(const Problem& problem, std::span<const int> skips);
/// Returns the skips of Bruck et al.: 1, 2, 4 and so on, and p.
[[nodiscard]] std::vector<int> doubling_skips(int p);

/// Builds recursive doubling: pairs of ranks swap all they have, in log2 p rounds. p must be a power of 2.
void build_recursive_doubling(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_recursive_doubling(const Problem& problem);

/// Builds the node-aware schedule, for problems with nodes: the ranks of a node send all its blocks to each other node
/// once, each rank to some nodes.
void build_node_aware(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem);

}  // namespace rondo::internal::dense_allgather

#endif
