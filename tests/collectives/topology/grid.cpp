#include "collectives/topology/grid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace rondo::internal::grid_test {
namespace {

TEST(Grid, FoldsOffsetsOntoATorus) {
  const std::array sizes{3, 1, 4};
  for (int rank = 0; rank < 12; ++rank) {
    const Grid grid(sizes, rank);
    for (int a = -7; a <= 7; ++a) {
      for (int b = -2; b <= 2; ++b) {
        for (int c = -9; c <= 9; ++c) {
          // The definition, by coordinates.
          const auto wrap = [](int value, int size) { return ((value % size) + size) % size; };
          const int expected = wrap(rank / 4 + a, 3) * 4 + wrap(rank % 4 + c, 4);
          const std::array offset{a, b, c};
          ASSERT_EQ(grid.relative_rank(offset), expected);
          ASSERT_EQ(Grid(sizes, expected).relative_rank(offset, -1), rank);
        }
      }
    }
  }
}

TEST(Grid, OffsetOfARankIsTheInverse) {
  const std::array sizes{4, 3, 2};
  for (int rank = 0; rank < 24; ++rank) {
    const Grid grid(sizes, rank);
    for (int other = 0; other < 24; ++other) {
      const auto offset = grid.offset_of(other);
      EXPECT_EQ(grid.relative_rank(offset), other);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_GT(2 * offset[k], -sizes[k]);
        EXPECT_LE(2 * offset[k], sizes[k]);
      }
    }
  }
}

TEST(Grid, BeyondTheEdgeOfAMeshThereIsNobody) {
  const std::array sizes{3, 2, 4};
  for (int mask = 0; mask < 8; ++mask) {
    const std::array periods{mask & 1, mask & 2, mask & 4};
    for (int rank = 0; rank < 24; ++rank) {
      const Grid grid(sizes, periods, rank);
      EXPECT_EQ(grid.is_torus(), mask == 7);
      const std::array from{rank / 8, rank / 4 % 2, rank % 4};
      for (int code = 0; code < 9 * 7 * 11; ++code) {
        const std::array offset{code / 77 - 4, code / 11 % 7 - 3, code % 11 - 5};
        int expected = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          int coordinate = from[k] + offset[k];
          if (periods[k] != 0) coordinate = (coordinate % sizes[k] + 2 * sizes[k]) % sizes[k];
          if (coordinate < 0 || coordinate >= sizes[k]) expected = kNoRank;
          if (expected != kNoRank) expected = expected * sizes[k] + coordinate;
        }
        ASSERT_EQ(grid.relative_rank(offset), expected);
        if (expected != kNoRank) {
          ASSERT_EQ(grid.seen_from(expected).relative_rank(offset, -1), rank);
        }
      }
    }
  }
}

TEST(Grid, OffsetsMayBeAsLargeAsIntegersGo) {
  const std::array sizes{3};
  const std::array mesh{0};
  for (const int offset : {std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_EQ(Grid(sizes, mesh, 1).relative_rank({&offset, 1}), kNoRank);
    EXPECT_EQ(Grid(sizes, mesh, 1).relative_rank({&offset, 1}, -1), kNoRank);
    const int target = Grid(sizes, 1).relative_rank({&offset, 1});
    EXPECT_EQ(Grid(sizes, target).relative_rank({&offset, 1}, -1), 1);
  }
}

}  // namespace
}  // namespace rondo::internal::grid_test
