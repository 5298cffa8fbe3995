/// @file
/// The broadcast algorithms, and how one is chosen.
#ifndef RONDO_COLLECTIVES_BROADCAST_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_BROADCAST_ALGORITHMS_HPP

#include "collectives/broadcast/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal::broadcast {

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// All of them. A row that does not apply to a problem offers no plans.
[[nodiscard]] const Registry<Problem>& registry();

/// choose() among them. Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// As many tags as any schedule for `size` ranks and a block of `bytes` bytes may need.
[[nodiscard]] std::uint32_t most_tags(int size, std::int64_t bytes);

// The lowerings and their predictions, one file each. Predictions are those of the path to the rank that is the last to
// have all.

/// The block goes down a tree in which a rank has up to radix - 1 children in each level, with a radix of at least 2.
/// Radix p is the direct algorithm: the root sends it to everybody.
void build_tree(const Problem& problem, int radix, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_tree(const Problem& problem, int radix);

/// One rank of each node gets the block, along the tree of radix k of all nodes, or, in radix 1, part by part from each
/// node to the next. It hands what it has to the ranks of its node. There are nodes.
void build_node_aware(const Problem& problem, int radix, const Segments& segments, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem, int radix, const Segments& segments);

/// Each rank gets a p-th of the block down a binary tree, and the others' in an allgather.
void build_scatter_allgather(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_scatter_allgather(const Problem& problem);

/// Part by part from each rank to the next.
void build_chain(const Problem& problem, const Segments& segments, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_chain(const Problem& problem, const Segments& segments);

/// In as few rounds as n parts can reach p ranks, where a rank sends one part and receives one in a round.
void build_circulant(const Problem& problem, const Segments& segments, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_circulant(const Problem& problem, const Segments& segments);

}  // namespace rondo::internal::broadcast

#endif
