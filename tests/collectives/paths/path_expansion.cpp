#include "collectives/paths/path_expansion.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/random/random_expansion.hpp"

#include <array>
#include <numeric>
#include <random>
#include <set>

namespace rondo::internal::path_expansion_test {
namespace {

/// What every expansion promises: steps are distinct, non-zero residues that all occur, and add up to the offsets.
void expect_valid(const PathExpansion& expansion, const Grid& grid, const Neighborhood& hood) {
  const auto d = static_cast<std::size_t>(grid.dimensions());
  for (int i = 0; i < hood.size(); ++i) {
    std::vector<int> sum(d);
    for (const ExpansionStage& stage : expansion.stages()) {
      const StepId id = stage.step_of[static_cast<std::size_t>(i)];
      if (id == kStays) continue;
      const auto step = expansion.step(stage, id);
      for (std::size_t k = 0; k < d; ++k) {
        if (!grid.periodic(static_cast<int>(k))) {
          EXPECT_TRUE(step[k] == 0 || (step[k] > 0) == (hood[i][k] > 0));
        }
        sum[k] += step[k];
      }
    }
    for (int k = 0; k < grid.dimensions(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      EXPECT_EQ(grid.residue(k, sum[at]), grid.residue(k, hood[i][at])) << expansion.name() << ", neighbor " << i;
    }
  }
  for (const ExpansionStage& stage : expansion.stages()) {
    std::set<std::vector<int>> distinct;
    for (StepId id = 0; id < expansion.steps(stage); ++id) {
      const auto step = expansion.step(stage, id);
      for (int k = 0; k < grid.dimensions(); ++k) {
        const int coordinate = step[static_cast<std::size_t>(k)];
        EXPECT_EQ(coordinate, grid.residue(k, coordinate));
      }
      const std::vector<int> vector(step.begin(), step.end());
      EXPECT_NE(vector, std::vector<int>(d));
      if (!distinct.empty()) {
        EXPECT_LT(*distinct.rbegin(), vector);
      }
      EXPECT_TRUE(distinct.insert(vector).second);
    }
    const std::set<StepId> used(stage.step_of.begin(), stage.step_of.end());
    EXPECT_EQ(used.size() - used.count(kStays), expansion.steps(stage));
  }
}

TEST(PathExpansion, ByDimensionTakesEachResidueAtOnce) {
  const Neighborhood hood = box(3, 4, -2);
  for (const std::array<int, 3>& periods : {std::array{1, 1, 1}, {0, 1, 0}, {0, 0, 0}}) {
    const std::array sizes{3, 1, 5};
    const Grid grid(sizes, periods, 0);
    const std::array order{2, 0, 1};
    const PathExpansion expansion = expand_by_dimension({grid, hood}, order);
    expect_valid(expansion, grid, hood);
    ASSERT_EQ(expansion.stages().size(), 3U);
    for (std::size_t stage = 0; stage < 3; ++stage) {
      std::set<int> distinct;
      for (int i = 0; i < hood.size(); ++i)
        distinct.insert(grid.residue(order[stage], hood[i][static_cast<std::size_t>(order[stage])]));
      EXPECT_EQ(expansion.steps(expansion.stages()[stage]), distinct.size() - 1);
    }
  }
}

TEST(PathExpansion, DirectIsOneStage) {
  const std::array sizes{2, 3};
  const Grid grid(sizes, 0);
  const Neighborhood hood{{1, 1}, {-1, 4}, {0, 0}, {2, 3}, {0, 1}};
  const PathExpansion expansion = expand_directly({grid, hood});
  expect_valid(expansion, grid, hood);
  ASSERT_EQ(expansion.stages().size(), 1U);
  EXPECT_EQ(expansion.stages()[0].step_of, (std::vector<StepId>{1, 1, kStays, kStays, 0}));
}

TEST(PathExpansion, GroupsOfDimensions) {
  const std::array sizes{4, 3, 5, 2};
  const Grid grid(sizes, 7);
  const Neighborhood hood = moore(4, 1);
  const std::vector<std::vector<int>> groups{{3, 1}, {0}, {2}};
  const PathExpansion expansion = expand_by_groups({grid, hood}, groups, "some");
  expect_valid(expansion, grid, hood);
  EXPECT_EQ(expansion.steps(expansion.stages()[0]), 5U);  // two non-zero residues by one, each with or without
}

TEST(PathExpansion, ThroughNeighborsOnly) {
  const std::array sizes{7, 7};
  const Grid grid(sizes, 0);
  // (2, 2) has no basis vector (2, 0) among the neighbors; (1, -1) has both.
  const Neighborhood hood{{1, 0}, {0, -1}, {1, -1}, {2, 2}, {0, 0}, {0, 2}};
  const PathExpansion expansion = expand_through_neighbors(grid, {grid, hood});
  expect_valid(expansion, grid, hood);
  ASSERT_EQ(expansion.stages().size(), 2U);
  EXPECT_EQ(expansion.stages()[0].step_of, (std::vector<StepId>{0, kStays, 0, 1, kStays, kStays}));
  EXPECT_EQ(expansion.stages()[1].step_of, (std::vector<StepId>{kStays, 1, 1, kStays, kStays, 0}));
}

TEST(PathExpansion, ThroughNeighborsIsDimensionWiseForMoore) {
  const std::array sizes{5, 4, 6};
  const Grid grid(sizes, 0);
  const Neighborhood hood = moore(3, 1);
  const std::array order{0, 1, 2};
  const PathExpansion neighbors = expand_through_neighbors(grid, {grid, hood});
  const PathExpansion dimensions = expand_by_dimension({grid, hood}, order);
  for (std::size_t stage = 0; stage < 3; ++stage) {
    EXPECT_EQ(neighbors.stages()[stage].steps, dimensions.stages()[stage].steps);
    EXPECT_EQ(neighbors.stages()[stage].step_of, dimensions.stages()[stage].step_of);
  }
}

TEST(PathExpansion, AnyParts) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, 4);
    std::vector<int> sizes;
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 9));
      periods.push_back(draw(0, 2) == 0 ? 0 : 1);
    }
    const Grid grid(sizes, periods, 0);
    Neighborhood hood(d);
    // Often on a line, so that there are embeddings to be drawn.
    const bool on_a_line = draw(0, 1) == 0;
    std::vector<int> direction;
    for (int k = 0; k < d; ++k) direction.push_back(draw(-2, 2));
    for (int i = draw(0, 12); i > 0; --i) {
      std::vector<int> offset;
      const int multiple = draw(-9, 9);
      for (const int coordinate : direction) offset.push_back(on_a_line ? multiple * coordinate : draw(-12, 12));
      hood.add(offset);
    }
    const FoldedNeighborhood folded(grid, hood);
    expect_valid(random_expansion(random, grid, folded), grid, hood);
    expect_valid(expand_through_neighbors(grid, folded), grid, hood);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(PathExpansion, OffsetsFarApart) {
  const std::array sizes{1 << 20};
  const std::array periods{0};
  const Grid grid(sizes, periods, 0);
  const Neighborhood hood{{-(1 << 19)}, {1 << 18}, {3}, {0}};
  expect_valid(expand_directly({grid, hood}), grid, hood);
}

TEST(PathExpansion, DimensionsInOrderOfDistinctResidues) {
  const std::array sizes{9, 9, 9};
  const Grid grid(sizes, 0);
  const Neighborhood figure2{{-2, 1, 1}, {-1, 1, 1}, {1, 1, 1}, {2, 1, 1}};  // ICPP 2019, figure 2
  EXPECT_EQ(order_by_distinct_residues({grid, figure2}), (std::vector{1, 2, 0}));
  EXPECT_EQ(order_by_distinct_residues({grid, Neighborhood(3)}), (std::vector{0, 1, 2}));
}

}  // namespace
}  // namespace rondo::internal::path_expansion_test
