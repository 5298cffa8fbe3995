#include "collectives/selection/near_offsets.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace rondo::internal {

template <typename Visit>
void NearOffsets::visit_pairs(std::span<const int> residues, Visit visit) const {
  const std::span<const int> sizes = grid_.sizes();
  std::vector<int> at(sizes.size());  // coordinates of one rank after the other
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    std::size_t other = 0;
    bool exists = true;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      std::int64_t coordinate = std::int64_t{at[k]} + residues[k];
      if (grid_.periodic(static_cast<int>(k)) && coordinate >= sizes[k]) coordinate -= sizes[k];
      exists = exists && coordinate >= 0 && coordinate < sizes[k];
      other = other * static_cast<std::size_t>(sizes[k]) + static_cast<std::size_t>(coordinate);
    }
    if (exists && other != rank && !visit(rank, other)) return;
    for (std::size_t k = sizes.size(); k-- > 0 && ++at[k] == sizes[k];) at[k] = 0;
  }
}

std::vector<int> NearOffsets::residues_of(std::span<const int> offset) const {
  std::vector<int> residues(offset.size());
  for (std::size_t k = 0; k < offset.size(); ++k) residues[k] = grid_.residue(static_cast<int>(k), offset[k]);
  return residues;
}

NearOffsets::Facts& NearOffsets::facts(std::span<const int> offset) const {
  std::vector<int> residues = residues_of(offset);
  if (const auto known = known_.find(residues); known != known_.end()) return known->second;
  Nearness found = Nearness::near;
  visit_pairs(residues, [&](std::size_t rank, std::size_t other) {
    if (leaves(rank, other)) found = Nearness::far;
    return found == Nearness::near;
  });
  return known_.emplace(std::move(residues), Facts{found, found == Nearness::near ? 0.0 : -1.0}).first->second;
}

double NearOffsets::leaving(std::span<const int> offset) const {
  Facts& known = facts(offset);
  if (known.leaving >= 0) return known.leaving;
  if (members_.nodes() == 0) members_ = NodeMembers(nodes_);
  std::vector<int> leaving_of(static_cast<std::size_t>(members_.nodes()));
  visit_pairs(residues_of(offset), [&](std::size_t rank, std::size_t other) {
    if (leaves(rank, other)) ++leaving_of[static_cast<std::size_t>(members_.node_of(static_cast<int>(rank)))];
    return true;
  });
  return known.leaving = static_cast<double>(std::ranges::max(leaving_of)) / members_.most();
}

void add_message(Prediction& prediction, const CostModel& costs, const NearOffsets* near, std::span<const int> offset,
                 std::int64_t blocks, std::int64_t bytes, SentData data) {
  const Nearness nearness = nearness_of(near, offset);
  costs.add_message(prediction, blocks, bytes, data, nearness);
  if (nearness == Nearness::near || !costs.knows_network()) return;
  const double stays = (1 - leaving(near, offset)) * costs.on_port(bytes);
  prediction.nanoseconds -= std::min(stays, costs.message(bytes, 1) - costs.on_core(bytes));
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
