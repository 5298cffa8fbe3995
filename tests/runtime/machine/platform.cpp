#include "runtime/machine/platform.hpp"

#include "runtime/machine/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

namespace rondo::internal::machine::platform_test {
namespace {

std::vector<LinkId> route(const Platform& platform, int from, int to) {
  const auto links = platform.route(from, to);
  return {links.begin(), links.end()};
}

TEST(Platform, NodesOfOneSwitchNeedNoLinks) {
  const Platform platform = one_switch(3);
  EXPECT_EQ(platform.nodes(), 3);
  EXPECT_EQ(platform.links(), 0U);
  EXPECT_TRUE(platform.route(0, 2).empty());
}

TEST(Platform, FatTreeGoesUpAndDown) {
  const Platform platform = fat_tree(16, 4, 2);  // 4 leaves, 2 spines
  EXPECT_EQ(platform.links(), 2U * 4 * 2);
  EXPECT_TRUE(platform.route(4, 7).empty());
  EXPECT_EQ(platform.route(0, 15).size(), 2U);
  EXPECT_EQ(route(platform, 0, 15), route(platform, 3, 15)) << "to one node over one spine";
  EXPECT_NE(route(platform, 0, 15), route(platform, 0, 14));
  EXPECT_EQ(route(platform, 0, 15), route(platform, 0, 13)) << "with half as many spines as nodes";
  EXPECT_NE(route(platform, 0, 15)[0], route(platform, 15, 0)[1]) << "a link has two directions";
}

TEST(Platform, FullFatTreeHasALinkForEachNodeOfALeaf) {
  const Platform platform = fat_tree(8, 4, 1);
  std::set<LinkId> up;
  for (int to = 4; to < 8; ++to) up.insert(route(platform, to - 4, to)[0]);
  EXPECT_EQ(up.size(), 4U);
}

int ring_distance(int from, int to, int size) {
  const int apart = std::abs(from - to);
  return std::min(apart, size - apart);
}

TEST(Platform, TorusTakesTheShortestWayDimensionByDimension) {
  const Platform platform = torus(std::array{4, 3, 3});
  EXPECT_EQ(platform.nodes(), 36);
  for (int from = 0; from < 36; ++from) {
    for (int to = 0; to < 36; ++to) {
      const int distance = ring_distance(from / 9, to / 9, 4) + ring_distance(from / 3 % 3, to / 3 % 3, 3) +
                           ring_distance(from % 3, to % 3, 3);
      EXPECT_EQ(static_cast<int>(platform.route(from, to).size()), distance) << from << " to " << to;
    }
  }
  EXPECT_EQ(route(platform, 0, 9 + 3).front(), route(platform, 0, 9).front()) << "the first dimension first";
  EXPECT_EQ(route(platform, 0, 9 + 3).back(), route(platform, 9, 9 + 3).front());
  EXPECT_NE(route(platform, 0, 9), route(platform, 9, 0));
}

// The Hoffman-Singleton graph: the only one of 50 vertices, 7 neighbors each, where two vertices have exactly one way
// of at most two edges.
TEST(Platform, SlimFlyIsAMooreGraph) {
  const std::vector<bool> neighbors = slim_fly_neighbors();
  const auto are = [&](std::size_t a, std::size_t b) { return neighbors[50 * a + b]; };
  for (std::size_t a = 0; a < 50; ++a) {
    int degree = 0;
    for (std::size_t b = 0; b < 50; ++b) {
      EXPECT_EQ(are(a, b), are(b, a));
      degree += are(a, b) ? 1 : 0;
      int ways = are(a, b) ? 1 : 0;
      for (std::size_t between = 0; between < 50; ++between) ways += are(a, between) && are(between, b) ? 1 : 0;
      EXPECT_EQ(ways, a == b ? 7 : 1) << a << " to " << b;
    }
    EXPECT_EQ(degree, 7);
    EXPECT_FALSE(are(a, a));
  }
}

TEST(Platform, SlimFlySpreadsRoutesEvenly) {
  const Platform platform = slim_fly(200, 4);
  EXPECT_EQ(platform.nodes(), 200);
  std::map<LinkId, int> used;
  for (int from = 0; from < 200; ++from) {
    for (int to = 0; to < 200; ++to) {
      EXPECT_EQ(platform.route(from, to).empty(), from / 4 == to / 4);
      EXPECT_LE(platform.route(from, to).size(), 2U);
      for (const LinkId link : platform.route(from, to)) ++used[link];
    }
  }
  EXPECT_EQ(used.size(), 50U * 7);
  // Of each pair of switches 4 x 4; a link is on the way to its end, to 6 more from there, and from 6 more.
  for (const auto& [link, times] : used) EXPECT_EQ(times, 16 * 13) << link;
}

TEST(Platform, RanksAreDealtOutToNodes) {
  EXPECT_EQ(nodes_of_ranks(6, 3, Mapping::blocks), (std::vector{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(nodes_of_ranks(5, 3, Mapping::blocks), (std::vector{0, 0, 1, 1, 2}));
  EXPECT_EQ(nodes_of_ranks(6, 3, Mapping::round_robin), (std::vector{0, 1, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace rondo::internal::machine::platform_test
