#include "collectives/alltoall_definition.hpp"

#include "collectives/block_placement.hpp"

namespace rondo {

std::vector<Placement> alltoall_definition(const Grid& grid, const Neighborhood& neighborhood,
                                           std::span<const BlocksOfRank> blocks) {
  std::vector<Placement> definition;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const Grid seen_from = grid.seen_from(rank);
    for (int i = 0; i < neighborhood.size(); ++i) {
      const int source = seen_from.relative_rank(neighborhood[i], -1);
      if (source == kNoRank) continue;  // beyond the edge of a mesh: nothing comes, and nothing is touched
      append_placements(definition, i,
                        {source, blocks[static_cast<std::size_t>(source)].send[static_cast<std::size_t>(i)]},
                        {rank, blocks[static_cast<std::size_t>(rank)].recv[static_cast<std::size_t>(i)]});
    }
  }
  return definition;
}

}  // namespace rondo
