#include "collectives/topology/node_members.hpp"

#include <algorithm>
#include <unordered_map>

namespace rondo::internal {

NodeMembers::NodeMembers(std::span<const std::int64_t> numbers) {
  std::unordered_map<std::int64_t, int> node_with;
  std::vector<std::size_t> sizes;
  for (const std::int64_t number : numbers) {
    const int next = static_cast<int>(sizes.size());
    const int node = number == 0 ? next : node_with.emplace(number, next).first->second;
    if (node == next) sizes.push_back(0);
    ++sizes[static_cast<std::size_t>(node)];
    node_of_.push_back(node);
  }
  nodes_ = static_cast<int>(sizes.size());
  begins_.push_back(0);
  for (const std::size_t size : sizes) {
    begins_.push_back(begins_.back() + size);
    most_ = std::max(most_, static_cast<int>(size));
  }
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  ranks_.resize(numbers.size());
  for (std::size_t rank = 0; rank < numbers.size(); ++rank)
    ranks_[next[static_cast<std::size_t>(node_of_[rank])]++] = static_cast<int>(rank);
}

std::size_t NodeMembers::place_of(int rank) const {
  const auto own = members(node_of(rank));
  return static_cast<std::size_t>(std::ranges::lower_bound(own, rank) - own.begin());
}

bool NodeMembers::hold_pairs(int distance) const noexcept {
  const int p = static_cast<int>(node_of_.size());
  for (int rank = 0; rank < p; ++rank) {
    const int other = rank ^ distance;
    if (other < p && node_of(rank) != node_of(other)) return false;
  }
  return true;
}

}  // namespace rondo::internal
