#include "collectives/cart_reduction/canonical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace rondo::internal::reduction::canonical_test {
namespace {

/// Sums over boxes: log2 of the number of offsets rounds in each dimension, one vector in each.
TEST(CanonicalReduction, DimensionsWithManyOffsetsTakeLogarithmicallyManyRounds) {
  struct Row {
    int d, radius;
    std::int64_t volume;
  };
  for (const Row& row : {Row{1, 1, 2}, {1, 3, 3}, {1, 7, 4}, {1, 10, 5}, {2, 2, 6}, {2, 3, 6}, {3, 10, 15}}) {
    const Grid torus(std::vector<int>(static_cast<std::size_t>(row.d), 30), 0);
    const Neighborhood hood = box(row.d, 2 * row.radius + 1, -row.radius);
    const Canonical reduce = make_canonical({torus, hood}, Kind::reduce);
    EXPECT_EQ(reduce.tree.volume(), row.volume) << row.d << " " << row.radius;
    EXPECT_EQ(reduce.dimension_ends.size(), static_cast<std::size_t>(row.d));
    EXPECT_EQ(reduce.dimension_ends.back(), reduce.tree.stages());
    const Canonical scatter = make_canonical({torus, hood}, Kind::scatter_reduce);
    EXPECT_EQ(scatter.tree.volume(), hood.size() - 1);
    EXPECT_EQ(scatter.tree.stages(), static_cast<std::size_t>(row.d));
  }
}

/// EuroMPI 2015, section 5.3: the neighbors of a line through the torus or mesh.
TEST(CanonicalReduction, OffsetsThatAreMultiplesOfOneVector) {
  const auto volume = [](const std::vector<int>& periods, int first, int last, std::vector<int> vector) {
    Neighborhood hood(2);
    for (int m = first; m <= last; ++m) hood.add(std::vector{m * vector[0], m * vector[1]});
    const Grid grid(std::vector{40, 40}, periods, 0);
    return make_canonical({grid, hood}, Kind::reduce).tree.volume();
  };
  EXPECT_EQ(volume({1, 1}, 0, 15, {1, 1}), 4);
  EXPECT_EQ(volume({1, 1}, -3, 3, {2, -1}), 3);
  EXPECT_EQ(volume({0, 1}, -3, 4, {0, 2}), 3);
  EXPECT_EQ(volume({0, 0}, 0, 15, {1, 2}), 4);
  EXPECT_EQ(volume({0, 1}, 1, 8, {-1, 1}), 4) << "the process itself is none of them";
}

TEST(CanonicalReduction, LeavesOutWhatIsBeyondTheEdgeFromEverywhere) {
  const Grid grid(std::vector{3, 4}, std::vector{0, 1}, 0);
  const Neighborhood hood{{3, 0}, {1, 9}, {-3, 1}, {-2, 0}, {100, 0}};
  const Canonical scatter = make_canonical({grid, hood}, Kind::scatter_reduce);
  std::vector<int> members;
  for (ValueId value = 0; value < scatter.tree.values(0); ++value)
    members.insert(members.end(), scatter.tree.members(value).begin(), scatter.tree.members(value).end());
  std::ranges::sort(members);
  EXPECT_EQ(members, (std::vector{1, 3}));
}

}  // namespace
}  // namespace rondo::internal::reduction::canonical_test
