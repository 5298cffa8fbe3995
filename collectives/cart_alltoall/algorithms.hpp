/// @file
/// The Cartesian alltoall algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_ALGORITHMS_HPP

#include "collectives/cart_alltoall/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <functional>
#include <string_view>

namespace rondo::internal::alltoall {

/// The rule that says which blocks for one process share a message.
enum class Coalescing : std::uint8_t {
  always,        ///< all blocks
  where_it_pays  ///< blocks for which it pays by the cost model; past the eager limit it may not
};

void build_direct(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem);
void build_coalesced(const Problem& problem, ScheduleBuilder& builder, Coalescing coalescing);
[[nodiscard]] Prediction predict_coalesced(const Problem& problem, Coalescing coalescing);
/// Adds to the builder the messages of a coalesced alltoall to and from the other ranks for which `wanted(rank)` holds,
/// and the copy of the blocks that stay on the process. Uses as many tags as there are neighbors.
void exchange_coalesced(const Problem& problem, const Blocks& blocks, Coalescing coalescing, ScheduleBuilder& builder,
                        const std::function<bool(int)>& wanted);
// For the algorithms along paths, through other processes, see routed.hpp.

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Returns node-aware plans, which differ in how many ranks of a node share a message to another node, or none if no
/// node has several ranks or if messages between nodes would be too long.
[[nodiscard]] std::vector<Plan> node_aware(const Problem& problem);

[[nodiscard]] const Registry<Problem>& registry();

/// Calls choose() with the alltoall algorithms.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

}  // namespace rondo::internal::alltoall

#endif
