#include "collectives/carriers/node_traffic.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rondo::internal {
namespace {

/// Returns all nodes, except for `node`, of the ranks that `visit_all(member, visit)` visits for the members of `node`.
template <typename VisitAll>
std::vector<int> other_nodes(const NodeMembers& nodes, int node, VisitAll visit_all) {
  std::vector<char> is_partner(static_cast<std::size_t>(nodes.nodes()));
  for (const int member : nodes.members(node))
    visit_all(member, [&](int other, std::uint32_t, std::int64_t) {
      is_partner[static_cast<std::size_t>(nodes.node_of(other))] = 1;
    });
  is_partner[static_cast<std::size_t>(node)] = 0;
  std::vector<int> found;
  for (int each = 0; each < nodes.nodes(); ++each) {
    if (is_partner[static_cast<std::size_t>(each)] != 0) found.push_back(each);
  }
  return found;
}

struct Numbered {
  int distance;
  int node;
  Parcel parcel;
};

void visit_in_order(std::vector<Numbered> all, const NodeTraffic::VisitPair& visit) {
  std::ranges::sort(all, {}, [](const Numbered& each) {
    return std::tuple(each.distance, each.parcel.source, each.parcel.target, each.parcel.number);
  });
  std::vector<Parcel> pair;
  for (std::size_t i = 0; i < all.size(); ++i) {
    pair.push_back(all[i].parcel);
    if (i + 1 < all.size() && all[i + 1].node == all[i].node) continue;
    visit(all[i].node, pair);
    pair.clear();
  }
}

}  // namespace

void NodeTraffic::visit_leaving(int node, const VisitPair& visit) const {
  std::vector<Numbered> all;
  for (const int source : nodes_.members(node)) {
    visit_sent(source, [&](int target, std::uint32_t number, std::int64_t bytes) {
      const int to = nodes_.node_of(target);
      if (to != node) all.push_back({distance(node, to), to, {source, target, number, bytes}});
    });
  }
  visit_in_order(std::move(all), visit);
}

void NodeTraffic::visit_arriving(int node, const VisitPair& visit) const {
  std::vector<Numbered> all;
  for (const int target : nodes_.members(node)) {
    visit_received(target, [&](int source, std::uint32_t number, std::int64_t bytes) {
      const int from = nodes_.node_of(source);
      if (from != node) all.push_back({distance(node, from), from, {source, target, number, bytes}});
    });
  }
  visit_in_order(std::move(all), visit);
}

std::size_t NodeTraffic::turn_of(int other, int node, const std::vector<int>& partners) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(partners, [&](int each) { return distance(node, each) < distance(node, other); }));
}

std::size_t NodeTraffic::sending_turn(int from, int to) const {
  const auto [found, is_new] = targets_.try_emplace(from);
  if (is_new)
    found->second = other_nodes(nodes_, from, [&](int member, const Visit& visit) { visit_sent(member, visit); });
  return turn_of(to, from, found->second);
}

std::size_t NodeTraffic::receiving_turn(int from, int to) const {
  const auto [found, is_new] = sources_.try_emplace(to);
  if (is_new)
    found->second = other_nodes(nodes_, to, [&](int member, const Visit& visit) { visit_received(member, visit); });
  return turn_of(from, to, found->second);
}

}  // namespace rondo::internal
