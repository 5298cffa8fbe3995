/// @file
/// The Cartesian alltoall algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_ALGORITHMS_HPP

#include "collectives/cart_alltoall/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <functional>
#include <string_view>

namespace rondo::internal::alltoall {

/// Which blocks for one process share a message.
enum class Coalescing : std::uint8_t {
  always,        ///< all of them
  where_it_pays  ///< as the cost model says: a message that grows past the eager limit costs more than it saves
};

void build_direct(const Problem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem);
void build_coalesced(const Problem& problem, ScheduleBuilder& builder, Coalescing coalescing);
[[nodiscard]] Prediction predict_coalesced(const Problem& problem, Coalescing coalescing);
/// The messages of a coalesced alltoall to and from those other ranks for which `wanted(rank)` holds, and the copy of
/// what stays on the process. Tags as many as there are neighbors.
void exchange_coalesced(const Problem& problem, const Blocks& blocks, Coalescing coalescing, ScheduleBuilder& builder,
                        const std::function<bool(int)>& wanted);
// Along paths, through other processes: routed.hpp.

using Algorithm = Algorithm<Problem>;
using Plan = Plan<Problem>;

/// Plans that differ in how many ranks of a node share a message to another one; none where there are no nodes of
/// several ranks, or messages between them would be too long.
[[nodiscard]] std::vector<Plan> node_aware(const Problem& problem);

[[nodiscard]] const Registry<Problem>& registry();

/// choose() among the alltoall algorithms.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

}  // namespace rondo::internal::alltoall

#endif
