#include "collectives/cart_reduction/hop_traffic.hpp"

#include <algorithm>
#include <cstddef>

namespace rondo::internal::reduction {

std::vector<int> coordinates_at(std::span<const int> from, std::span<const int> step, int sign) {
  std::vector<int> coordinates(from.begin(), from.end());
  for (std::size_t k = 0; k < coordinates.size(); ++k) coordinates[k] += sign * step[k];
  return coordinates;
}

bool is_sent(const Hop& hop, const Reach& reach, const Grid& grid, NodeId leaf, std::span<const int> from,
             std::span<const int> to) {
  if (grid.is_torus()) return true;
  if (!reach.exists(hop.from(), hop.value_of(leaf), from)) return false;
  return std::ranges::any_of(hop.part_of(leaf), [&](ValueId value) { return reach.is_needed(hop.to(), value, to); });
}

void HopTraffic::visit_rounds(int rank, int sign, const Visit& visit) const {
  const Grid grid = grid_.seen_from(rank);
  const auto here = grid.coordinates();
  for (std::size_t i = 0; i < hop_.rounds(); ++i) {
    const auto round = hop_.round(i);
    const int other = grid.relative_rank(round.step, sign);
    if (other == kNoRank) continue;
    const std::vector<int> there = grid.is_torus() ? std::vector<int>() : coordinates_at(here, round.step, sign);
    for (NodeId leaf = round.begin; leaf < round.end; ++leaf) {
      const bool goes =
          sign > 0 ? is_sent(hop_, reach_, grid, leaf, here, there) : is_sent(hop_, reach_, grid, leaf, there, here);
      if (goes) visit(other, leaf, bytes_);
    }
  }
}

}  // namespace rondo::internal::reduction
