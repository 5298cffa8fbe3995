#include "collectives/dense_definition.hpp"

#include "collectives/block_placement.hpp"

namespace rondo {

std::vector<Placement> dense_definition(std::span<const BlocksOfRank> blocks, bool in_place) {
  std::vector<Placement> definition;
  for (std::size_t target = 0; target < blocks.size(); ++target) {
    for (std::size_t source = 0; source < blocks.size(); ++source) {
      if (in_place && source == target) continue;
      const BlocksOfRank& from = blocks[source];
      append_placements(definition, static_cast<int>(source),
                        {static_cast<int>(source), (in_place ? from.recv : from.send)[target]},
                        {static_cast<int>(target), blocks[target].recv[source]});
    }
  }
  return definition;
}

}  // namespace rondo
