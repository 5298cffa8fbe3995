/// @file
/// The broadcast algorithms, the table of them, and the function that chooses one.
#ifndef RONDO_COLLECTIVES_BROADCAST_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_BROADCAST_ALGORITHMS_HPP

#include "collectives/broadcast/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal::broadcast {

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Returns the table of all broadcast algorithms. An algorithm that does not apply to a problem offers no plans.
[[nodiscard]] const Registry<Problem>& registry();

/// Chooses among the broadcast algorithms: see choose() in selection.hpp. Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// Returns an upper bound of the tags of any broadcast schedule for `size` ranks and a block of `bytes` bytes.
[[nodiscard]] std::uint32_t most_tags(int size, std::int64_t bytes);

// The lowerings and their predictions, one file each. Predictions are for the path to the last rank to have the block.

/// Builds a broadcast along a tree in which a rank sends the block to up to radix - 1 children in each level, with a
/// radix of at least 2. Radix p is the direct algorithm: the root sends the block to every other rank.
void build_tree(const Problem& problem, int radix, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_tree(const Problem& problem, int radix);

/// Builds a broadcast to one rank of each node, along the tree of radix k of all nodes or, in radix 1, part by part
/// from each node to the next. That rank hands the block or part to its node's other ranks. `problem.nodes` must not be
/// null.
void build_node_aware(const Problem& problem, int radix, const Segments& segments, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem, int radix, const Segments& segments);

/// Builds a broadcast in which each rank gets a p-th of the block down a binomial tree, and the rest in an allgather.
void build_scatter_allgather(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_scatter_allgather(const Problem& problem);

/// Builds a broadcast along a chain in which each rank passes the block part by part on to the next.
void build_chain(const Problem& problem, const Segments& segments, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_chain(const Problem& problem, const Segments& segments);

/// Builds a broadcast in as few rounds as n parts can reach p ranks if a rank sends and receives one part in each.
void build_circulant(const Problem& problem, const Segments& segments, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_circulant(const Problem& problem, const Segments& segments);

}  // namespace rondo::internal::broadcast

#endif
