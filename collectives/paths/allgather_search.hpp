/// @file
/// The search for the path expansion over which an allgather costs least (ICPP 2019, section 3.4).
#ifndef RONDO_COLLECTIVES_PATHS_ALLGATHER_SEARCH_HPP
#define RONDO_COLLECTIVES_PATHS_ALLGATHER_SEARCH_HPP

#include "collectives/paths/path_expansion.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/folded_neighborhood.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// Which dimensions to cross together, which of them in digits, and in which order.
struct FoundPaths {
  std::vector<PathPart> groups;    ///< the best ordered partition of the dimensions, each part at once
  std::vector<PathPart> mixtures;  ///< the best when a part may also be crossed in digits
};

/// Which dimensions to combine, which to cross at once, and in which order: unlike an alltoall's, an allgather's volume
/// depends on it. What a part costs depends on the set of dimensions before it, but not on their order or parts; what a
/// second phase costs is the same for all ordered partitions but the one stage for all dimensions, which is compared at
/// the end. So the best ordered partition is found exactly by dynamic programming over sets; it is not the paper's
/// whole problem, in which steps may be any vectors. In digits, where all offsets are multiples of one vector, a part
/// is crossed only with the radix that costs least for that part by itself, and where that costs less than at once;
/// copies are counted then as if every block ended where it arrives.
///
/// `neighborhood`: distinct vectors. `bytes`: of a block. `near`: which messages stay on a node, if any are known to.
/// Local, and the same on all ranks. O(3^a * n) for n vectors and a dimensions along which something moves.
[[nodiscard]] FoundPaths search_allgather_paths(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                                std::int64_t bytes, const CostModel& costs,
                                                const NearOffsets* near = nullptr);
/// About how long that takes, from what is the same on all ranks; infinite where it takes too much memory.
[[nodiscard]] double expected_search_nanoseconds(const Grid& grid, const FoldedNeighborhood& neighborhood);

}  // namespace rondo::internal

#endif
