#include "runtime/check/combination.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rondo::internal::combination_test {
namespace {

TEST(Combination, EqualBytesAreTheSameWhateverTheOrder) {
  Combinations combined;
  const SymbolicBytes a{0, 8, 4};
  const SymbolicBytes b{3, 16, 4};
  const SymbolicBytes c{3, 0, 4};
  const SymbolicBytes ab = combined.combine(a, b);
  EXPECT_EQ(ab, combined.combine(b, a));
  EXPECT_TRUE(ab.written());
  EXPECT_NE(ab, combined.combine(a, c));
  EXPECT_EQ(combined.combine(ab, c), combined.combine(a, combined.combine(c, b)));
  EXPECT_EQ(combined.combine(ab, c), combined.of({{3, 0, 1}, {0, 8, 1}, {3, 16, 1}}, 4));
  EXPECT_EQ(combined.terms(combined.combine(ab, c)), (std::vector<Term>{{0, 8, 1}, {3, 0, 1}, {3, 16, 1}}));
}

TEST(Combination, HowOftenATermOccursMatters) {
  Combinations combined;
  const SymbolicBytes a{0, 8, 4};
  const SymbolicBytes twice = combined.combine(a, a);
  EXPECT_NE(twice, a);
  EXPECT_NE(twice, combined.combine(twice, a));
  EXPECT_EQ(combined.combine(twice, a), combined.of({{0, 8, 3}}, 4));
  EXPECT_EQ(combined.combine(twice, a), combined.of({{0, 8, 1}, {0, 8, 2}}, 4));
  EXPECT_EQ(combined.terms(twice), (std::vector<Term>{{0, 8, 2}}));
}

TEST(Combination, OfOneTermIsACopy) {
  Combinations combined;
  EXPECT_EQ(combined.of({{5, 12, 1}}, 4), (SymbolicBytes{5, 12, 4}));
  EXPECT_EQ(combined.terms({5, 12, 4}), (std::vector<Term>{{5, 12, 1}}));
  EXPECT_TRUE(combined.terms({SymbolicBytes::kNothing, 0, 4}).empty());
}

/// So that combinations in memory are split and merged as copies are.
TEST(Combination, TheNextBytesAreTheSameOneFurther) {
  Combinations combined;
  const SymbolicBytes whole = combined.combine({0, 8, 10}, {1, 100, 10});
  EXPECT_EQ(whole.part(4, 6), combined.combine({0, 12, 6}, {1, 104, 6}));
  EXPECT_NE(whole.part(4, 6), combined.combine({0, 12, 6}, {1, 103, 6}));
  SymbolicRow row;
  row.append(combined.combine({0, 8, 4}, {1, 100, 4}));
  row.append(combined.combine({1, 104, 6}, {0, 12, 6}));
  ASSERT_EQ(row.pieces().size(), 1U);
  EXPECT_EQ(row.pieces().front(), whole);
}

TEST(Combination, ManyTermsInRandomOrders) {
  Combinations combined;
  std::mt19937_64 random(1);
  std::vector<SymbolicBytes> blocks;
  std::vector<Term> terms;
  for (int i = 0; i < 50; ++i) {
    blocks.push_back({static_cast<std::int32_t>(random() % 5), static_cast<std::int64_t>(random() % 5) - 2, 8});
    terms.push_back({blocks.back().rank, blocks.back().offset, 1});
  }
  const SymbolicBytes all = combined.of(terms, 8);
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::ranges::shuffle(blocks, random);
    std::vector<SymbolicBytes> left = blocks;
    while (left.size() > 1) {
      const std::size_t chosen = random() % (left.size() - 1);
      left[chosen] = combined.combine(left[chosen], left.back());
      left.pop_back();
    }
    EXPECT_EQ(left.front(), all);
  }
}

}  // namespace
}  // namespace rondo::internal::combination_test
