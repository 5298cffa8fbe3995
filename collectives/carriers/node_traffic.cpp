#include "collectives/carriers/node_traffic.hpp"

#include <algorithm>

namespace rondo::internal {
namespace {

/// Of the ranks that `visit_all(rank, visit)` tells for each member of a node.
template <typename VisitAll>
std::vector<int> other_nodes(const NodeMembers& nodes, int node, VisitAll visit_all) {
  std::vector<int> found;
  for (const int member : nodes.members(node)) {
    visit_all(member, [&](int other, std::uint32_t, std::int64_t) {
      const int there = nodes.node_of(other);
      if (there != node && (found.empty() || found.back() != there)) found.push_back(there);
    });
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

const std::vector<int>& NodeTraffic::targets_of(int node) const {
  const auto found = targets_.find(node);
  return found != targets_.end() ? found->second : targets_.emplace(node, find_targets_of(node)).first->second;
}

const std::vector<int>& NodeTraffic::sources_of(int node) const {
  const auto found = sources_.find(node);
  return found != sources_.end() ? found->second : sources_.emplace(node, find_sources_of(node)).first->second;
}

std::vector<int> NodeTraffic::find_targets_of(int node) const {
  return other_nodes(nodes_, node, [&](int member, const Visit& visit) { visit_sent(member, visit); });
}

std::vector<int> NodeTraffic::find_sources_of(int node) const {
  return other_nodes(nodes_, node, [&](int member, const Visit& visit) { visit_received(member, visit); });
}

}  // namespace rondo::internal
