#include "collectives/cart_reduction/order.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace rondo::internal::reduction::order_test {
namespace {

constexpr Kind kKinds[] = {Kind::reduce, Kind::scatter_reduce};

std::int64_t volume_in_order(const Grid& grid, const Neighborhood& hood, std::span<const int> order, Kind kind) {
  return Tree(expand_by_dimension({grid, hood}, order), kind).volume();
}

TEST(ReductionOrder, IsTheBestOfAll) {
  bool beats_the_papers = false;
  for (const std::uint64_t seed : seeds(300)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, 5);
    std::vector<int> sizes;
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 6));
      periods.push_back(draw(0, 1));
    }
    const Grid grid(sizes, periods, 0);
    Neighborhood hood(d);
    for (int i = draw(0, 14); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) {
        const int most = periods[static_cast<std::size_t>(k)] != 0 ? 3 : sizes[static_cast<std::size_t>(k)] - 1;
        offset.push_back(draw(-most, most));
      }
      hood.add(offset);
    }
    for (const Kind kind : kKinds) {
      std::vector<int> order(static_cast<std::size_t>(d));
      std::iota(order.begin(), order.end(), 0);
      std::int64_t least = INT64_MAX;
      do {
        least = std::min(least, volume_in_order(grid, hood, order, kind));
      } while (std::ranges::next_permutation(order).found);
      EXPECT_EQ(volume_in_order(grid, hood, combining_order({grid, hood}, kind), kind), least) << "RONDO_SEED=" << seed;
      std::vector<int> papers = order_by_distinct_residues({grid, hood});
      std::ranges::reverse(papers);
      beats_the_papers = beats_the_papers || volume_in_order(grid, hood, papers, kind) > least;
    }
  }
  EXPECT_TRUE(beats_the_papers || seeds(2).size() == 1);
}

TEST(ReductionOrder, OfMoreNeighborsThanCanBeSearched) {
  const Grid grid(std::vector<int>(10, 3), 0);
  const Neighborhood hood = moore(10, 1);
  std::vector<int> papers = order_by_distinct_residues({grid, hood});
  std::ranges::reverse(papers);
  EXPECT_EQ(combining_order({grid, hood}, Kind::reduce), papers);
}

}  // namespace
}  // namespace rondo::internal::reduction::order_test
