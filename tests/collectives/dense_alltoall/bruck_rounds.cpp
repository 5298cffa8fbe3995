// Rounds of Bruck et al. against the digits themselves.
#include "collectives/dense_alltoall/bruck_rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::internal::dense::bruck_rounds_test {
namespace {

/// The blocks that travel in the round of each digit and value.
std::map<std::pair<int, int>, std::vector<int>> rounds_by_digits(int p, int radix) {
  std::map<std::pair<int, int>, std::vector<int>> rounds;
  for (int j = 1; j < p; ++j) {
    int rest = j;
    for (int digit = 0; rest > 0; ++digit, rest /= radix) {
      if (rest % radix != 0) rounds[{digit, rest % radix}].push_back(j);
    }
  }
  return rounds;
}

TEST(BruckRounds, AreTheDigits) {
  for (int p = 1; p <= 100; ++p) {
    for (int radix = 2; radix <= p + 2; ++radix) {
      const auto expected = rounds_by_digits(p, radix);
      const BruckRounds rounds(p, radix);
      ASSERT_EQ(rounds.all().size(), expected.size()) << "p " << p << ", radix " << radix;
      std::vector<int> travelled(static_cast<std::size_t>(p));
      std::int64_t volume = 0;
      auto next = expected.begin();
      for (const BruckRound& round : rounds.all()) {
        EXPECT_EQ(std::pair(round.digit, round.value), next->first);
        std::vector<int> blocks;
        int arriving = 0;
        round.for_each_block(p, [&](int j) {
          blocks.push_back(j);
          travelled[static_cast<std::size_t>(j)] += static_cast<int>(round.steps);
          const bool there = travelled[static_cast<std::size_t>(j)] == j;
          EXPECT_EQ(round.arrives(j), there);
          if (there) ++arriving;
        });
        EXPECT_EQ(blocks, next->second);
        EXPECT_EQ(round.blocks, std::ssize(blocks));
        EXPECT_EQ(round.arriving, arriving);
        volume += round.blocks;
        ++next;
      }
      EXPECT_EQ(rounds.volume(), volume);
      for (int j = 0; j < p; ++j) EXPECT_EQ(travelled[static_cast<std::size_t>(j)], j);
    }
  }
}

TEST(BruckRounds, LogarithmicallyManyDigits) {
  EXPECT_EQ(BruckRounds(1, 2).digits(), 0);
  for (int p = 2; p <= 300; ++p) {
    int log = 0;
    while ((1 << log) < p) ++log;
    const BruckRounds rounds(p, 2);
    EXPECT_EQ(rounds.digits(), log);
    EXPECT_EQ(std::ssize(rounds.all()), log);
    EXPECT_LE(rounds.volume(), log * (p / 2)) << "theorem 1";
    EXPECT_EQ(BruckRounds(p, p).volume(), p - 1) << "direct";
  }
}

/// Weights are integers: nothing overflows next to the greatest number of ranks.
TEST(BruckRounds, ManyRanks) {
  const int p = 2147483647;
  const BruckRounds rounds(p, 65536);
  EXPECT_EQ(rounds.digits(), 2);
  std::int64_t arriving = 1;
  for (const BruckRound& round : rounds.all()) arriving += round.arriving;
  EXPECT_EQ(arriving, p);
}

/// For each number of phases no radix has fewer rounds.
TEST(BruckRounds, RecommendedRadices) {
  EXPECT_TRUE(bruck_radices(1).empty());
  EXPECT_TRUE(bruck_radices(2).empty());
  EXPECT_EQ(bruck_radices(16), (std::vector{2, 3, 4}));
  EXPECT_EQ(bruck_radices(100), (std::vector{2, 3, 4, 5, 10}));
  for (int p = 3; p <= 200; ++p) {
    const std::vector<int> radices = bruck_radices(p);
    EXPECT_TRUE(std::ranges::is_sorted(radices));
    EXPECT_EQ(radices.front(), 2);
    EXPECT_LT(radices.back(), p);
    for (int radix = 2; radix < p; ++radix) {
      const BruckRounds rounds(p, radix);
      EXPECT_TRUE(std::ranges::any_of(radices,
                                      [&](int recommended) {
                                        const BruckRounds others(p, recommended);
                                        return others.digits() <= rounds.digits() &&
                                               others.all().size() <= rounds.all().size();
                                      }))
          << "p " << p << ", radix " << radix;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::dense::bruck_rounds_test
