/// @file
/// The algorithms of the halo exchange, their registry, and the function that chooses among them.
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

/// Returns the direct expansion: each direction of the halo comes straight from its owner.
[[nodiscard]] Expansion direct(const Grid& grid, const Shape& shape, Messages messages);
/// Returns the dimension-wise expansion of a halo; joined() returns the joined one. `stages`: see expand(). The plain
/// form has one axis in each stage, in any order.
[[nodiscard]] Expansion dimension_wise(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages);
[[nodiscard]] Expansion joined(const Grid& grid, const Shape& shape, std::span<const std::vector<int>> stages);

/// Returns the name of an algorithm, with its stages if one has several axes: "joined 2,0+1".
[[nodiscard]] std::string stage_name(std::string_view algorithm, std::span<const std::vector<int>> stages);

/// Returns the ways to divide `axes`, in their order, into at least two stages: all ways for up to five axes, only one
/// axis in each stage beyond.
[[nodiscard]] std::vector<std::vector<std::vector<int>>> divisions(std::span<const int> axes);

/// Returns the plans of "direct" with carriers between nodes.
[[nodiscard]] std::vector<Plan<Problem>> node_aware(const Problem& problem);

/// Returns the registry of algorithms: "direct"; "coalesced", with its messages for one process as one; "combining",
/// dimension-wise in up to N phases; "joined", in up to N phases; "node-aware".
[[nodiscard]] const Registry<Problem>& registry();

/// Chooses among the algorithms of registry() and builds the chosen one; see choose() of selection.hpp.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view algorithm, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

}  // namespace rondo::internal::halo

#endif
