#include "collectives/topology/linear_embedding.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

namespace rondo::internal::linear_embedding_test {
namespace {

std::vector<LinearEmbedding> embeddings_of(const std::vector<int>& sizes, const Neighborhood& hood,
                                           const std::vector<int>& periods = {}) {
  const Grid grid(sizes, periods, 0);
  return linear_embeddings(grid, FoldedNeighborhood(grid, hood));
}

void expect_fits(const LinearEmbedding& embedding, const Grid& grid, const FoldedNeighborhood& folded) {
  for (std::size_t v = 0; v < folded.size(); ++v) {
    for (int k = 0; k < grid.dimensions(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto product = static_cast<int>(embedding.multiples[v] * embedding.vector[at]);
      EXPECT_EQ(grid.residue(k, product), folded[v][at]);
    }
  }
}

TEST(LinearEmbedding, ADiagonal) {
  Neighborhood diagonal(2);
  for (int m = -3; m <= 5; ++m) diagonal.add(std::vector{2 * m, 4 * m});
  const auto found = embeddings_of({100, 100}, diagonal);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().vector, (std::vector{2, 4}));
  EXPECT_EQ(found.front().multiples,
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, -3, -2, -1}));  // as residues are sorted
}

TEST(LinearEmbedding, TheLeastOffset) {
  constexpr int kLeast = std::numeric_limits<int>::min();
  const auto found = embeddings_of({3}, {{kLeast}, {2}}, {0});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().vector, (std::vector{-2}));
  EXPECT_EQ(found.front().multiples, (std::vector<std::int64_t>{std::int64_t{1} << 30U, -1}));
}

TEST(LinearEmbedding, WithoutCommonDirection) {
  EXPECT_TRUE(embeddings_of({100, 100}, {{1, 0}, {0, 1}}).empty());
  EXPECT_TRUE(embeddings_of({9, 9}, {{0, 0}}).empty()) << "nothing to embed";
  EXPECT_TRUE(embeddings_of({9, 9}, Neighborhood(2)).empty());
}

TEST(LinearEmbedding, AroundTheTorus) {
  // 2 * (1, 1) is (2, 2), which is (0, 2) on a torus of 2 by 5; 3 * (1, 1) is (1, 3).
  const auto found = embeddings_of({2, 5}, {{1, 1}, {0, 2}, {1, 3}});
  ASSERT_FALSE(found.empty());
  const Grid grid(std::array{2, 5}, 0);
  expect_fits(found.front(), grid, FoldedNeighborhood(grid, {{1, 1}, {0, 2}, {1, 3}}));
  // On a mesh there is no way around.
  EXPECT_TRUE(embeddings_of({2, 5}, {{1, 1}, {0, 2}, {1, 3}}, {0, 1}).empty());
}

TEST(LinearEmbedding, WhateverIsFoundFits) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const std::vector<int> sizes{draw(1, 8), draw(1, 8)};
    const std::vector<int> periods{draw(0, 1), draw(0, 1)};
    const Grid grid(sizes, periods, 0);
    const std::array v{draw(-2, 2), draw(-2, 2)};
    Neighborhood hood(2);
    for (int i = draw(0, 6); i > 0; --i) {
      const int m = draw(-4, 4);
      hood.add(std::vector{m * v[0], m * v[1]});
    }
    const FoldedNeighborhood folded(grid, hood);
    for (const LinearEmbedding& embedding : linear_embeddings(grid, folded)) {
      ++found;
      expect_fits(embedding, grid, folded);
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << seed;
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace rondo::internal::linear_embedding_test
