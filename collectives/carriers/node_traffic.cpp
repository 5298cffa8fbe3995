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

std::vector<int> NodeTraffic::targets_of(int node) const {
  return other_nodes(nodes_, node, [&](int member, const Visit& visit) { visit_sent(member, visit); });
}

std::vector<int> NodeTraffic::sources_of(int node) const {
  return other_nodes(nodes_, node, [&](int member, const Visit& visit) { visit_received(member, visit); });
}

}  // namespace rondo::internal
