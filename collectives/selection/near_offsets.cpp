#include "collectives/selection/near_offsets.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace rondo::internal {

Nearness NearOffsets::nearness(std::span<const int> offset) const {
  std::vector<int> residues(offset.size());
  for (std::size_t k = 0; k < offset.size(); ++k) residues[k] = grid_.residue(static_cast<int>(k), offset[k]);
  if (const auto known = known_.find(residues); known != known_.end()) return known->second;
  const Nearness found = find(residues);
  known_.emplace(std::move(residues), found);
  return found;
}

Nearness NearOffsets::find(std::span<const int> residues) const {
  const std::span<const int> sizes = grid_.sizes();
  std::vector<int> at(sizes.size());  // coordinates of a rank after the other
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    std::size_t other = 0;
    bool exists = true;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      std::int64_t coordinate = std::int64_t{at[k]} + residues[k];
      if (grid_.periodic(static_cast<int>(k)) && coordinate >= sizes[k]) coordinate -= sizes[k];
      exists = exists && coordinate >= 0 && coordinate < sizes[k];
      other = other * static_cast<std::size_t>(sizes[k]) + static_cast<std::size_t>(coordinate);
    }
    if (exists && other != rank && (nodes_[rank] == 0 || nodes_[rank] != nodes_[other])) return Nearness::far;
    for (std::size_t k = sizes.size(); k-- > 0 && ++at[k] == sizes[k];) at[k] = 0;
  }
  return Nearness::near;
}

int fewest_near(std::span<const std::int64_t> nodes) {
  std::vector<std::int64_t> sorted(nodes.begin(), nodes.end());
  std::ranges::sort(sorted);
  std::ptrdiff_t fewest = std::ssize(sorted);
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    fewest = std::min(fewest, *begin == 0 ? 0 : end - begin - 1);
    begin = end;
  }
  return static_cast<int>(fewest);
}

}  // namespace rondo::internal
