#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/neighborhood.hpp>

#include "collectives/topology/neighborhood_facts.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

namespace rondo::internal::neighborhood_test {
namespace {

TEST(Neighborhood, FactoriesHaveTheirSizes) {
  EXPECT_EQ(moore(2, 1).size(), 8);
  EXPECT_EQ(moore(3, 1).size(), 26);
  EXPECT_EQ(moore(2, 2).size(), 24);
  EXPECT_EQ(moore(2, 0).size(), 0);
  EXPECT_EQ(von_neumann(2, 1).size(), 4);
  EXPECT_EQ(von_neumann(2, 2).size(), 12);
  EXPECT_EQ(von_neumann(3, 1).size(), 6);
  EXPECT_EQ(box(5, 5, -1).size(), 3125);
  EXPECT_EQ(box(2, 4, -1)[0][0], -1);
  EXPECT_EQ(box(2, 4, -1)[15][1], 2);
}

/// All vectors of a cube that a predicate picks, in lexicographic order.
template <typename Wanted>
Neighborhood picked(int d, int radius, Wanted wanted) {
  Neighborhood result(d);
  const int side = 2 * radius + 1;
  int all = 1;
  for (int k = 0; k < d; ++k) all *= side;
  for (int code = 0; code < all; ++code) {
    std::vector<int> vector(static_cast<std::size_t>(d));
    for (int k = d, rest = code; k-- > 0; rest /= side) vector[static_cast<std::size_t>(k)] = rest % side - radius;
    if (wanted(vector)) result.add(vector);
  }
  return result;
}

TEST(Neighborhood, ShapesAreAsDefined) {
  for (int d = 1; d <= 4; ++d) {
    for (int radius = 0; radius <= 4; ++radius) {
      const auto sum = [](const std::vector<int>& vector) {
        return std::accumulate(vector.begin(), vector.end(), 0, [](int s, int c) { return s + std::abs(c); });
      };
      EXPECT_EQ(moore(d, radius), picked(d, radius, [&](const auto& v) { return sum(v) > 0; }));
      EXPECT_EQ(von_neumann(d, radius),
                picked(d, radius, [&](const auto& v) { return sum(v) > 0 && sum(v) <= radius; }));
    }
  }
}

TEST(Neighborhood, SmallShapesOfManyDimensionsAreMadeAtOnce) {
  EXPECT_EQ(von_neumann(10, 1).size(), 20);
  EXPECT_EQ(von_neumann(1000, 1).size(), 2000);
  EXPECT_EQ(von_neumann(1000, 1)[0][0], -1);
  EXPECT_EQ(von_neumann(1000, 1)[1999][0], 1);
  EXPECT_EQ(von_neumann(30, 2).size(), 60 + 60 + 4 * 435);
}

TEST(Neighborhood, MinusKeepsTheOrder) {
  const Neighborhood corners = moore(2, 1).minus(von_neumann(2, 1));
  EXPECT_EQ(corners, (Neighborhood{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}));
  const Neighborhood list(1, std::array{3, 1, 3, 2, 1}, std::array{5, 6, 7, 8, 9});
  EXPECT_EQ(list.minus(Neighborhood{{1}, {4}}), Neighborhood(1, std::array{3, 3, 2}, std::array{5, 7, 8}));
  EXPECT_EQ(list.minus(Neighborhood(1)), list);
  EXPECT_EQ(list.minus(list).size(), 0);
  EXPECT_TRUE(list.minus(list).weighted());
  EXPECT_EQ(moore(3, 20).minus(moore(3, 19)).size(), 41 * 41 * 41 - 39 * 39 * 39) << "and soon";
}

TEST(Neighborhood, TheFirstOnes) {
  const Neighborhood list(1, std::array{3, 1, 2}, std::array{5, 6, 7});
  EXPECT_EQ(list.first(2), Neighborhood(1, std::array{3, 1}, std::array{5, 6}));
  EXPECT_EQ(list.first(3), list);
  EXPECT_EQ(list.first(0).size(), 0);
  EXPECT_EQ(moore(2, 1).first(2), (Neighborhood{{-1, -1}, {-1, 0}}));
  EXPECT_THROW(static_cast<void>(list.first(4)), Error);
  EXPECT_THROW(static_cast<void>(list.first(-1)), Error);
}

TEST(Neighborhood, ShuffledAlikeEverywhere) {
  std::vector<int> offsets, weights;
  for (int i = 0; i < 10; ++i) {
    offsets.insert(offsets.end(), {i, -i});
    weights.push_back(100 + i);
  }
  const Neighborhood list(2, offsets, weights);
  const Neighborhood shuffled = list.shuffled(42);
  // These numbers must not change from machine to machine, nor from version to version.
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) {
    const int was = shuffled[i][0];
    order.push_back(was);
    EXPECT_EQ(shuffled[i][1], -was);
    EXPECT_EQ(shuffled.weights()[static_cast<std::size_t>(i)], 100 + was) << "weights go along";
  }
  EXPECT_EQ(order, (std::vector{0, 9, 5, 8, 6, 4, 7, 2, 1, 3}));
  EXPECT_EQ(list.shuffled(42), shuffled);
  EXPECT_NE(list.shuffled(43), shuffled);
  EXPECT_EQ(Neighborhood(3).shuffled(1).size(), 0);
  EXPECT_EQ(moore(1, 1).first(1).shuffled(1), moore(1, 1).first(1));
}

TEST(Neighborhood, ShufflesAreEven) {
  // Each of the six orders of three: 600 seeds, about 100 each.
  std::map<std::vector<int>, int> times;
  for (unsigned seed = 0; seed < 600; ++seed) {
    const Neighborhood shuffled = Neighborhood{{0}, {1}, {2}}.shuffled(seed);
    ++times[{shuffled.flattened().begin(), shuffled.flattened().end()}];
  }
  EXPECT_EQ(times.size(), 6U);
  for (const auto& [order, count] : times) EXPECT_NEAR(count, 100, 40);
}

TEST(Neighborhood, ListsMayRepeat) {
  const Neighborhood list{{0, 1}, {0, 1}, {0, 0}};
  EXPECT_EQ(list.size(), 3);
  EXPECT_EQ(list.find(std::array{0, 0}), 2);
  EXPECT_EQ(list.find(std::array{5, 5}), -1);
}

TEST(Neighborhood, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Neighborhood(0), Error);
  EXPECT_THROW(Neighborhood(2, std::vector{1, 2, 3}), Error);
  EXPECT_THROW(Neighborhood(2, std::vector{1, 2}, std::vector{1, 1}), Error);
  EXPECT_THROW((Neighborhood{{0, 1}, {0, 1, 2}}), Error);
  EXPECT_THROW((void)moore(2, -1), Error);
  EXPECT_THROW((void)moore(20, 3), Error) << "more than fit memory";
  EXPECT_THROW((void)von_neumann(3, 2147483647), Error);
  EXPECT_THROW((void)von_neumann(1000000, 1), Error);
  EXPECT_THROW((void)von_neumann(0, 1), Error);
  EXPECT_THROW((void)moore(1000000, 1), Error);
  EXPECT_THROW((void)box(1, 2, 2147483647), Error);
  EXPECT_EQ(box(1, 1, 2147483647).size(), 1);
  EXPECT_THROW(static_cast<void>(moore(2, 1).minus(moore(1, 1))), Error);
  EXPECT_THROW((void)box(2, 0, 0), Error);
  EXPECT_THROW(static_cast<void>(moore(2, 1)[8]), Error);
}

/// A fact that says how often it was made, and follows from another.
struct Fact {
  explicit Fact(const NeighborhoodFacts& facts) : vectors(facts.distinct().size()) { ++made; }
  std::size_t vectors;
  static inline int made = 0;
};

TEST(NeighborhoodFacts, AreMadeWhenTheyAreFirstAskedFor) {
  const Grid grid(std::array{2, 2}, 0);
  const Neighborhood hood = box(2, 5, -2);
  const NeighborhoodFacts facts(grid, hood);
  EXPECT_EQ(Fact::made, 0);
  const Fact& fact = facts.get<Fact>();
  EXPECT_EQ(fact.vectors, 4U);
  EXPECT_EQ(&facts.get<Fact>(), &fact);
  EXPECT_EQ(Fact::made, 1);
  EXPECT_EQ(facts.folded().vector_of().size(), 25U);
  EXPECT_EQ(facts.distinct().vector_of().size(), 4U);
}

}  // namespace
}  // namespace rondo::internal::neighborhood_test
