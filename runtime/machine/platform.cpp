#include "runtime/machine/platform.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rondo::internal::machine {

Platform::Platform(std::string name, int nodes, std::span<const std::vector<LinkId>> routes)
    : name_(std::move(name)), nodes_(nodes) {
  begins_.reserve(routes.size() + 1);
  begins_.push_back(0);
  for (const std::vector<LinkId>& route : routes) {
    hops_.insert(hops_.end(), route.begin(), route.end());
    begins_.push_back(static_cast<std::uint32_t>(hops_.size()));
    for (const LinkId link : route) links_ = std::max(links_, std::size_t{link} + 1);
  }
}

namespace {

/// Builds a platform. Calls route_of(from, to) for all pairs of different nodes.
template <typename RouteOf>
Platform routed(std::string name, int nodes, RouteOf route_of) {
  std::vector<std::vector<LinkId>> routes;
  routes.reserve(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes));
  for (int from = 0; from < nodes; ++from) {
    for (int to = 0; to < nodes; ++to) routes.push_back(from == to ? std::vector<LinkId>{} : route_of(from, to));
  }
  return {std::move(name), nodes, routes};
}

}  // namespace

Platform one_switch(int nodes) {
  return routed("one switch, " + std::to_string(nodes) + " nodes", nodes,
                [](int, int) { return std::vector<LinkId>{}; });
}

Platform fat_tree(int nodes, int per_leaf, int taper) {
  const int leaves = (nodes + per_leaf - 1) / per_leaf;
  const int spines = std::max(1, per_leaf / taper);
  // Numbers the links of each leaf and spine: first the link up, then the link down.
  const auto link = [&](int leaf, int spine, int down) {
    return static_cast<LinkId>(2 * (leaf * spines + spine) + down);
  };
  return routed("fat tree, " + std::to_string(leaves) + " leaves of " + std::to_string(per_leaf) + ", taper " +
                    std::to_string(taper),
                nodes, [=](int from, int to) {
                  const int up = from / per_leaf;
                  const int down = to / per_leaf;
                  if (up == down) return std::vector<LinkId>{};
                  return std::vector{link(up, to % spines, 0), link(down, to % spines, 1)};
                });
}

Platform torus(std::span<const int> sizes) {
  const int dimensions = static_cast<int>(sizes.size());
  int nodes = 1;
  std::string name = "torus";
  for (const int size : sizes) {
    nodes *= size;
    name += (nodes == size ? " " : " x ") + std::to_string(size);
  }
  return routed(std::move(name), nodes, [=](int from, int to) {
    std::vector<LinkId> route;
    int at = from;
    int stride = nodes;
    for (int k = 0; k < dimensions; ++k) {
      const int size = sizes[static_cast<std::size_t>(k)];
      stride /= size;
      int coordinate = at / stride % size;
      const int up = (to / stride % size - coordinate + size) % size;
      const bool goes_up = 2 * up <= size;
      for (int left = goes_up ? up : size - up; left > 0; --left) {
        route.push_back(static_cast<LinkId>(2 * (at * dimensions + k) + (goes_up ? 0 : 1)));
        const int next = (coordinate + (goes_up ? 1 : size - 1)) % size;
        at += (next - coordinate) * stride;
        coordinate = next;
      }
    }
    return route;
  });
}

namespace {

constexpr int kField = 5;
constexpr int kSwitches = 2 * kField * kField;

/// Switch (part, x, y): (0, x, y) in the first part, (1, m, c) in the second.
struct Switch {
  explicit Switch(int number) : part(number / (kField * kField)), x(number / kField % kField), y(number % kField) {}
  int part;
  int x;
  int y;
};

/// Returns whether two switches are neighbors. In a column of the first part, two are neighbors if their difference is
/// 1 or -1, the even powers of the primitive element 2 of the field. In a column of the second part, they are if it is
/// 2 or -2, the odd powers. (0, x, y) and (1, m, c) are neighbors if y = m x + c.
bool are_neighbors(const Switch& a, const Switch& b) {
  if (a.part != b.part) {
    const Switch& first = a.part == 0 ? a : b;
    const Switch& second = a.part == 0 ? b : a;
    return first.y == (second.x * first.x + second.y) % kField;
  }
  const int difference = std::abs(a.y - b.y);
  const int apart = std::min(difference, kField - difference);
  return a.x == b.x && apart == (a.part == 0 ? 1 : 2);
}

}  // namespace

std::vector<bool> slim_fly_neighbors() {
  std::vector<bool> neighbors;
  for (int a = 0; a < kSwitches; ++a) {
    for (int b = 0; b < kSwitches; ++b) neighbors.push_back(are_neighbors(Switch(a), Switch(b)));
  }
  return neighbors;
}

Platform slim_fly(int nodes, int per_switch) {
  const auto link = [](int from, int to) { return static_cast<LinkId>(from * kSwitches + to); };
  return routed("Slim Fly, " + std::to_string(nodes) + " nodes, " + std::to_string(per_switch) + " a switch", nodes,
                [&](int from, int to) {
                  const int a = from / per_switch;
                  const int b = to / per_switch;
                  if (a == b) return std::vector<LinkId>{};
                  if (are_neighbors(Switch(a), Switch(b))) return std::vector{link(a, b)};
                  int between = 0;
                  while (!are_neighbors(Switch(a), Switch(between)) || !are_neighbors(Switch(between), Switch(b)))
                    ++between;
                  return std::vector{link(a, between), link(between, b)};
                });
}

}  // namespace rondo::internal::machine
