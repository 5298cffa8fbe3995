/// @file
/// The halo exchange's algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_HALO_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_HALO_ALGORITHMS_HPP

#include "collectives/halo_expansion.hpp"
#include "collectives/halo_problem.hpp"
#include "collectives/selection.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rondo {

[[nodiscard]] HaloExpansion direct_halo(const Grid& grid, const HaloShape& shape, HaloMessages messages);
/// `stages`: see expand_halo(). One axis in each is the plain form, in any order.
[[nodiscard]] HaloExpansion dimension_wise_halo(const Grid& grid, const HaloShape& shape,
                                                std::span<const std::vector<int>> stages);
[[nodiscard]] HaloExpansion joined_halo(const Grid& grid, const HaloShape& shape,
                                        std::span<const std::vector<int>> stages);

/// The name of an algorithm with its stages where one has several axes: "joined 2,0+1".
[[nodiscard]] std::string stage_name(std::string_view algorithm, std::span<const std::vector<int>> stages);

/// The ways to divide `axes`, in their order, into at least two stages: all of them for up to five axes, one axis each
/// beyond.
[[nodiscard]] std::vector<std::vector<std::vector<int>>> divisions(std::span<const int> axes);

/// The rows: "direct"; "coalesced", its messages for one process as one; "combining", dimension-wise in up to N phases;
/// "joined", in up to N phases.
[[nodiscard]] const Registry<HaloProblem>& halo_registry();

/// choose() among them.
[[nodiscard]] Chosen choose_halo(const HaloProblem& problem, std::string_view algorithm, Ordering ordering,
                                 MessageForm form = MessageForm::automatic);

}  // namespace rondo

#endif
