#include "collectives/paths/allgather_search.hpp"

#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/paths/expansion_search.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

namespace rondo::internal::allgather_search_test {
namespace {

const CostParameters kParameters{.message = 300,
                                 .byte = 1,
                                 .burst = 100,
                                 .long_byte = 0.5,
                                 .eager_limit = 500,
                                 .rendezvous = 2000,
                                 .rendezvous_byte = 0.1,
                                 .copied_block = 10,
                                 .copied_byte = 0.25,
                                 .phase = 400,
                                 .second_phase = 500,
                                 .warm = 0.5};

/// A problem of blocks of one size on a grid, of which only predictions are wanted.
struct Sample {
  Sample(const Grid& given, Neighborhood offsets, std::int64_t bytes)
      : grid(given), hood(std::move(offsets)), costs(kParameters), size(bytes) {}
  [[nodiscard]] double predict(std::span<const PathPart> parts) const {
    const allgather::Problem problem{grid, facts, send, {}, {&size, 1}, costs, 0, near};
    const allgather::Tree tree(grid, facts.folded(), expand_in_parts(grid, facts.distinct(), parts, ""));
    return allgather::predict_combining(problem, tree).nanoseconds;
  }
  [[nodiscard]] FoundPaths search() const { return search_allgather_paths(grid, facts.distinct(), size, costs, near); }

  Grid grid;
  Neighborhood hood;
  NeighborhoodFacts facts{grid, hood};
  CostModel costs;
  const NearOffsets* near = nullptr;
  std::int64_t size;
  Layout nothing;
  BlockShape send{0, &nothing};
};

/// Calls visit(parts) for every ordered partition of d dimensions.
void for_each_partition(int d, const std::function<void(const std::vector<PathPart>&)>& visit) {
  const auto dimensions = static_cast<std::size_t>(d);
  std::vector<std::size_t> place(dimensions);
  const std::function<void(std::size_t)> choose = [&](std::size_t k) {
    if (k < dimensions) {
      for (place[k] = 0; place[k] < dimensions; ++place[k]) choose(k + 1);
      return;
    }
    std::vector<PathPart> parts(dimensions);
    for (std::size_t at = 0; at < dimensions; ++at) parts[place[at]].dimensions.push_back(static_cast<int>(at));
    const auto empty = [](const PathPart& part) { return part.dimensions.empty(); };
    const auto first_empty = std::ranges::find_if(parts, empty);
    if (!std::all_of(first_empty, parts.end(), empty)) return;  // the same partition comes without the gap
    parts.erase(first_empty, parts.end());
    visit(parts);
  };
  choose(0);
}

TEST(AllgatherSearch, FindsTheBestOrderedPartition) {
  int together = 0;
  int apart = 0;
  int between = 0;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, 4);
    std::vector<int> sizes;
    std::vector<int> periods;
    Neighborhood hood(d);
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 4));
      periods.push_back(draw(0, 3) == 0 ? 0 : 1);
    }
    for (int i = draw(0, 25); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(0, 2) == 0 ? 0 : draw(-3, 3));
      hood.add(offset);
    }
    Sample sample(Grid(sizes, periods, 0), hood, draw(1, 200));
    const std::vector<std::int64_t> nodes = test::nodes_by(sizes, static_cast<unsigned>(seed / 2 % 16));
    const NearOffsets offsets(sample.grid, nodes);
    if (seed % 2 != 0) {
      sample.near = &offsets;
      sample.costs = sample.costs.with_near(CostModel::through_slots(1.0));
    }
    const FoundPaths found = sample.search();
    double best = std::numeric_limits<double>::infinity();
    for_each_partition(d, [&](const std::vector<PathPart>& parts) { best = std::min(best, sample.predict(parts)); });
    EXPECT_NEAR(sample.predict(found.groups), best, 1e-6 * best) << "seed " << seed;
    EXPECT_LE(sample.predict(found.mixtures), best * (1 + 1e-6)) << "seed " << seed;
    if (d == 1) continue;
    ++(found.groups.size() == 1 ? together : static_cast<int>(found.groups.size()) == d ? apart : between);
  }
  EXPECT_GT(together, 0);
  EXPECT_GT(apart, 0);
  EXPECT_GT(between, 0);
}

/// Where steps go together they had better do so at once: three dimensions are two.
TEST(AllgatherSearch, CombinesSomeDimensionsAndNotOthers) {
  Neighborhood hood(3);
  for (int a = -3; a <= 3; ++a) {
    for (int b = -3; b <= 3; ++b) hood.add(std::array{a, b, b});
  }
  const Sample sample(Grid(std::array{9, 9, 9}, 0), hood, 8);
  const FoundPaths found = sample.search();
  EXPECT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(describe(found.groups), "dimensions 0, 1+2");
}

/// In a dimension with many offsets, rounds grow with their logarithm, and the volume does not grow at all.
TEST(AllgatherSearch, TakesManyOffsetsOfADimensionInDigits) {
  Neighborhood hood(2);
  for (int a = 1; a <= 100; ++a) hood.add(std::array{a, 0});
  hood.add(std::array{0, 1});
  const Sample sample(Grid(std::array{128, 2}, 0), hood, 4);
  const FoundPaths found = sample.search();
  ASSERT_TRUE(std::ranges::any_of(found.mixtures, [](const PathPart& part) { return part.radix != 0; }));
  EXPECT_LT(sample.predict(found.mixtures), sample.predict(found.groups) / 2);
  const allgather::Tree tree(sample.grid, sample.facts.folded(),
                             expand_in_parts(sample.grid, sample.facts.distinct(), found.mixtures, ""));
  EXPECT_EQ(tree.edges(), 101U);
  EXPECT_LT(tree.rounds().size(), 20U);
}

}  // namespace
}  // namespace rondo::internal::allgather_search_test
