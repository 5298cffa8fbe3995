/// @file
/// The dense allgather's algorithms, and how one is chosen.
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

/// All of them. A row that does not apply to a problem offers no plans.
[[nodiscard]] const Registry<Problem>& registry();

/// choose() among them. Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// As many tags as any schedule for `size` ranks and blocks of at most `largest` bytes may need.
[[nodiscard]] std::uint32_t most_tags(int size, std::int64_t largest);

// The lowerings and their predictions, one file each. Predictions are those of the slowest rank.

/// Every rank sends its block to all others: all exchanges at once, or `ports` of them at a time.
void build_direct(const Problem& problem, int ports, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem, int ports);

/// Blocks go around the ring of all ranks, one step in each of p - 1 rounds.
void build_ring(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_ring(const Problem& problem);

/// In round k a rank has the blocks of the skips[k] ranks from itself on, and gets those up to skips[k + 1] of them
/// from the rank skips[k] after it. `skips`: from 1 to p, each at most twice the one before.
void build_concatenation(const Problem& problem, std::span<const int> skips, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_concatenation(const Problem& problem, std::span<const int> skips);
/// 1, 2, 4 and so on, and p: the skips of Bruck et al.
[[nodiscard]] std::vector<int> doubling_skips(int p);

/// Pairs of ranks swap all they have, in log2 p rounds. p must be a power of 2.
void build_recursive_doubling(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_recursive_doubling(const Problem& problem);

/// The ranks of a node send all its blocks to each other node once, each to some of them. There are nodes.
void build_node_aware(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem);

}  // namespace rondo::internal::dense_allgather

#endif
