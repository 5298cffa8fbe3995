#include "collectives/selection/near_offsets.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace rondo::internal {

template <typename Visit>
void NearOffsets::visit_pairs(std::span<const int> residues, Visit visit) const {
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
  std::map<std::int64_t, std::int64_t> ranks_of;
  std::map<std::int64_t, std::int64_t> leaving_of;
  for (const std::int64_t node : nodes_) ++ranks_of[node];
  ranks_of.erase(0);
  bool sends_alone = false;  // from a node with one rank
  visit_pairs(residues_of(offset), [&](std::size_t rank, std::size_t other) {
    if (nodes_[rank] == 0)
      sends_alone = true;
    else if (leaves(rank, other))
      ++leaving_of[nodes_[rank]];
    return true;
  });
  std::int64_t fullest = 1;
  std::int64_t most = sends_alone ? 1 : 0;
  for (const auto& [node, ranks] : ranks_of) fullest = std::max(fullest, ranks);
  for (const auto& [node, messages] : leaving_of) most = std::max(most, messages);
  return known.leaving = static_cast<double>(most) / static_cast<double>(fullest);
}

void add_message(Prediction& prediction, const CostModel& costs, const NearOffsets* near, std::span<const int> offset,
                 std::int64_t blocks, std::int64_t bytes) {
  const Nearness nearness = nearness_of(near, offset);
  costs.add_message(prediction, blocks, bytes, SentData::cold, nearness);
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
