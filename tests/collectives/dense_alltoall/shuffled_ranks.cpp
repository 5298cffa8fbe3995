// The random order of ranks: a permutation, fixed by size and seed, and any of them as likely as any other.
#include "collectives/dense_alltoall/shuffled_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace rondo::internal::dense::shuffled_ranks_test {
namespace {

TEST(ShuffledRanks, HoldEachRankOnce) {
  EXPECT_TRUE(get_shuffled_ranks(0, 1).empty());
  for (const int size : {1, 2, 3, 64, 1000}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<int> ranks = get_shuffled_ranks(size, seed);
      std::ranges::sort(ranks);
      std::vector<int> all(static_cast<std::size_t>(size));
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(ranks, all);
    }
  }
}

/// All ranks must get the same array, whatever machine they are on: these are the numbers, for good.
TEST(ShuffledRanks, AreFixedBySizeAndSeed) {
  EXPECT_EQ(get_shuffled_ranks(64, 64), get_shuffled_ranks(64, 64));
  EXPECT_EQ(get_shuffled_ranks(8, 8), (std::vector{3, 5, 0, 2, 4, 1, 7, 6}));
  EXPECT_EQ(get_shuffled_ranks(8, 0xFFFFFFFFFFFFFFFFU), (std::vector{7, 3, 5, 4, 2, 6, 1, 0}));
}

TEST(ShuffledRanks, DifferFromSeedToSeed) {
  std::set<std::vector<int>> found;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) found.insert(get_shuffled_ranks(32, seed));
  EXPECT_EQ(found.size(), 1000U);
}

/// Seeds in a row are what users give. Chi-square, with 23 degrees of freedom for the 24 orders of four ranks: 49.7 is
/// exceeded once in a thousand times. The seeds are fixed, and so is the outcome.
TEST(ShuffledRanks, AllOrdersAreEquallyLikely) {
  constexpr int kSeeds = 24000;
  std::map<std::vector<int>, int> times;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) ++times[get_shuffled_ranks(4, seed)];
  ASSERT_EQ(times.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : times) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 49.7);
}

/// Every rank in every place of a longer array: 31 * 31 degrees of freedom, of which the one in a thousand is 1100.
TEST(ShuffledRanks, AllPlacesAreEquallyLikely) {
  constexpr int kSize = 32;
  constexpr int kSeeds = 32000;
  std::vector<int> times(kSize * kSize);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::vector<int> ranks = get_shuffled_ranks(kSize, seed);
    for (std::size_t place = 0; place < kSize; ++place) ++times[place * kSize + static_cast<std::size_t>(ranks[place])];
  }
  double chi_square = 0;
  for (const int count : times) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 1100.0);
}

}  // namespace
}  // namespace rondo::internal::dense::shuffled_ranks_test
