/// @file
/// search_allgather_paths(): finds the path expansion over which an allgather costs least (ICPP 2019, section 3.4).
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

/// The result of search_allgather_paths(): which dimensions to cross together, which of them in digits, and in which
/// order.
struct FoundPaths {
  std::vector<PathPart> groups;    ///< the best ordered partition of the dimensions, each part crossed at once
  std::vector<PathPart> mixtures;  ///< the best partition if parts may also be crossed in digits
};

/// Finds which dimensions to combine, which to cross at once, and in which order: unlike an alltoall's, an allgather's
/// volume depends on the order. What a part costs depends on the set of dimensions before it, but not on their order or
/// parts. What a second phase costs is the same for all ordered partitions except the one stage for all dimensions,
/// which is compared at the end. So the best ordered partition is found exactly, by dynamic programming over sets. This
/// is not the paper's whole problem, in which steps may be any vectors. A part is crossed in digits only if all its
/// offsets are multiples of one vector, only with the radix that costs least for that part by itself, and only if that
/// costs less than crossing it at once. Copies are counted then as if every block ended where it arrives.
///
/// `neighborhood`: distinct vectors. `bytes`: those of a block. `near`: which messages stay on a node, if any are known
/// to. Local, and the same on all ranks. O(3^a * n) for n vectors and a dimensions along which something moves.
[[nodiscard]] FoundPaths search_allgather_paths(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                                std::int64_t bytes, const CostModel& costs,
                                                const NearOffsets* near = nullptr);
/// Returns about how many nanoseconds search_allgather_paths() takes, from facts that are the same on all ranks;
/// infinite if it takes too much memory.
[[nodiscard]] double expected_search_nanoseconds(const Grid& grid, const FoldedNeighborhood& neighborhood);

}  // namespace rondo::internal

#endif
