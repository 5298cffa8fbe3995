/// @file
/// The search for the path expansion that costs least (ICPP 2019, section 3.4: "a hard optimization problem").
#ifndef RONDO_COLLECTIVES_EXPANSION_SEARCH_HPP
#define RONDO_COLLECTIVES_EXPANSION_SEARCH_HPP

#include "collectives/cost_model.hpp"
#include "collectives/path_expansion.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rondo {

/// Which dimensions to combine, and which of them to cross in digits.
struct FoundPaths {
  std::vector<PathPart> groups;    ///< the best partition of the dimensions, each part at once
  std::vector<PathPart> mixtures;  ///< the best partition when a part may also be crossed in digits
};

/// Finds them for an alltoall of blocks of `bytes` bytes (t, the same on all ranks; blocks without bytes count for
/// nothing). A part's cost hardly depends on the other parts, so that the best partition is found exactly, by dynamic
/// programming over sets of dimensions, where that takes at most `kMostVisits` looks at a vector; beyond that, or for
/// more than six dimensions, parts are merged as long as a merger saves anything. In digits: where all offsets are
/// multiples of one vector, with the radix of 2, 3, 4, 8 and 16 that costs least.
[[nodiscard]] FoundPaths search_paths(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                      std::span<const std::int64_t> bytes, const CostModel& costs);
inline constexpr std::size_t kMostVisits = std::size_t{1} << 22U;

/// For people: "dimensions 0, 1+2, 3 in powers of 2".
[[nodiscard]] std::string describe(std::span<const PathPart> parts);

}  // namespace rondo

#endif
