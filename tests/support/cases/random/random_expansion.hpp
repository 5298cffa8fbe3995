/// @file
/// Path expansions drawn at random, of every kind that can be described by parts.
#ifndef RONDO_TESTS_RANDOM_EXPANSION_HPP
#define RONDO_TESTS_RANDOM_EXPANSION_HPP

#include "collectives/paths/path_expansion.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace rondo::internal {

/// Dimensions in random groups, in random order, some of them in digits where their offsets are multiples of a vector.
[[nodiscard]] std::vector<PathPart> random_parts(std::mt19937_64& random, const Grid& grid,
                                                 const FoldedNeighborhood& folded);

[[nodiscard]] PathExpansion random_expansion(std::mt19937_64& random, const Grid& grid,
                                             const FoldedNeighborhood& folded);

}  // namespace rondo::internal

#endif
