/// @file
/// The halo exchange's algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_HALO_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_HALO_ALGORITHMS_HPP

#include "collectives/halo/expansion.hpp"
#include "collectives/halo/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal::halo {

[[nodiscard]] Expansion direct(const Grid& grid, const Shape& shape, Messages messages);
/// `stages`: see expand(). One axis in each is the plain form, in any order.
[[nodiscard]] Expansion dimension_wise(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages);
[[nodiscard]] Expansion joined(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages);

/// The name of an algorithm with its stages where one has several axes: "joined 2,0+1".
[[nodiscard]] std::string stage_name(std::string_view algorithm, std::span<const std::vector<int>> stages);

/// The ways to divide `axes`, in their order, into at least two stages: all of them for up to five axes, one axis each
/// beyond.
[[nodiscard]] std::vector<std::vector<std::vector<int>>> divisions(std::span<const int> axes);

/// "direct" with carriers between nodes.
[[nodiscard]] std::vector<Plan<Problem>> node_aware(const Problem& problem);

/// The rows: "direct"; "coalesced", its messages for one process as one; "combining", dimension-wise in up to N phases;
/// "joined", in up to N phases; "node-aware".
[[nodiscard]] const Registry<Problem>& registry();

/// choose() among them.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

}  // namespace rondo::internal::halo

#endif
