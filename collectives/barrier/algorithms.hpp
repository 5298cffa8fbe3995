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

/// All of them.
[[nodiscard]] const Registry<Problem>& registry();

/// choose() among them. Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// As many tags as any schedule for `size` ranks may need.
[[nodiscard]] std::uint32_t most_tags(int size);

/// In each round a rank tells the radix - 1 ranks that are multiples of a power of the radix after it, and waits for
/// those before it. Radix p is the direct algorithm: everybody tells everybody.
void build_dissemination(const Problem& problem, int radix, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_dissemination(const Problem& problem, int radix);

/// The lowest rank of each node waits for the others there, for those of other nodes by dissemination, and lets the
/// others go. There are nodes.
void build_node_aware(const Problem& problem, int radix, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_node_aware(const Problem& problem, int radix);

}  // namespace rondo::internal::barrier

#endif
