#include "collectives/torus.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rondo {
namespace {

TEST(Torus, FoldsOffsetsOntoTheGrid) {
  const std::array sizes{3, 1, 4};
  for (int rank = 0; rank < 12; ++rank) {
    const Torus torus(sizes, rank);
    for (int a = -7; a <= 7; ++a) {
      for (int b = -2; b <= 2; ++b) {
        for (int c = -9; c <= 9; ++c) {
          // The definition, by coordinates.
          const auto wrap = [](int value, int size) { return ((value % size) + size) % size; };
          const int expected = wrap(rank / 4 + a, 3) * 4 + wrap(rank % 4 + c, 4);
          const std::array offset{a, b, c};
          ASSERT_EQ(torus.relative_rank(offset), expected);
          ASSERT_EQ(Torus(sizes, expected).relative_rank(offset, -1), rank);
        }
      }
    }
  }
}

TEST(Torus, OffsetOfARankIsTheInverse) {
  const std::array sizes{4, 3, 2};
  for (int rank = 0; rank < 24; ++rank) {
    const Torus torus(sizes, rank);
    for (int other = 0; other < 24; ++other) {
      const auto offset = torus.offset_of(other);
      EXPECT_EQ(torus.relative_rank(offset), other);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_GT(2 * offset[k], -sizes[k]);
        EXPECT_LE(2 * offset[k], sizes[k]);
      }
    }
  }
}

}  // namespace
}  // namespace rondo
