#include "datatypes/layout/layout_words.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_layout.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace rondo::internal::layout_words_test {
namespace {

using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Words = std::vector<std::int64_t>;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Pieces pieces_of(const Layout& layout) {
  Pieces pieces;
  layout.for_each_piece([&](std::int64_t offset, std::int64_t length) {
    if (!pieces.empty() && pieces.back().first + pieces.back().second == offset)
      pieces.back().second += length;
    else
      pieces.emplace_back(offset, length);
  });
  return pieces;
}
Words words_of(const Layout& layout) {
  Words words;
  append_words(layout, words);
  return words;
}
/// From its first byte on, as it is told to others.
Layout from_first(const Layout& layout) {
  Layout moved;
  moved.append(layout, -layout.true_begin());
  return moved;
}
/// A matrix of 5 x 3 pieces of 8 bytes: a loop over a run of two lengths.
Layout in_loops() {
  Layout row;
  row.append({0, 8, 3, 16});
  row.append({100, 4, 1, 0});
  row.set_extent(1000);
  Layout all;
  all.append_elements(std::make_shared<const Layout>(std::move(row)), 5, 0);
  return all;
}

TEST(LayoutWords, TellTheSameBytesInTheSameOrder) {
  RandomLayouts random(1);
  for (int i = 0; i < 2000; ++i) {
    const Layout layout = from_first(random.make(3));
    if (layout.size() == 0) continue;
    const std::int64_t end = layout.true_end();
    const std::optional<Layout> read = layout_from(words_of(layout), layout.size(), end);
    ASSERT_TRUE(read) << i;
    ASSERT_EQ(pieces_of(*read), pieces_of(layout)) << i;
    EXPECT_FALSE(layout_from(words_of(layout), layout.size(), end - 1)) << "a byte lies outside";
    EXPECT_FALSE(layout_from(words_of(layout), layout.size() + 1, end));
    EXPECT_FALSE(layout_from(words_of(layout), layout.size() - 1, end));
  }
}

TEST(LayoutWords, AreAsFewAsTheDescription) {
  Layout column;
  column.append({0, 8, 1'000'000, 8000});
  EXPECT_EQ(words_of(column).size(), 7U);
  EXPECT_LT(words_of(in_loops()).size(), 30U);
}

TEST(LayoutWords, WhatIsCutOrGoesOnIsNone) {
  const Layout layout = in_loops();
  Words words = words_of(layout);
  ASSERT_TRUE(layout_from(words, layout.size(), layout.true_end()));
  for (std::size_t count = 0; count < words.size(); ++count)
    EXPECT_FALSE(layout_from(std::span(words).first(count), layout.size(), layout.true_end())) << count;
  words.push_back(0);
  EXPECT_FALSE(layout_from(words, layout.size(), layout.true_end()));
}

/// Whatever they say, no byte outside is touched.
TEST(LayoutWords, OfAnyValuesNoneTouchesWhatIsOutside) {
  const Layout layout = in_loops();
  const Words good = words_of(layout);
  const std::int64_t end = layout.true_end();
  std::mt19937_64 random(7);
  const std::vector<std::int64_t> odd{0, 1, -1, 2, -8, 1000, end, kMost, -kMost, kMost / 2, std::int64_t{1} << 32U};
  int read_anyway = 0;
  for (int round = 0; round < 20000; ++round) {
    Words words = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes)
      words[random() % words.size()] = odd[random() % odd.size()];
    const std::optional<Layout> read = layout_from(words, layout.size(), end);
    if (!read) continue;
    ++read_anyway;
    std::int64_t bytes = 0;
    read->for_each_piece([&](std::int64_t offset, std::int64_t length) {
      bytes += length;
      ASSERT_GE(offset, 0);
      ASSERT_GT(length, 0);
      ASSERT_LE(offset + length, end);
    });
    ASSERT_EQ(bytes, layout.size());
  }
  EXPECT_GT(read_anyway, 10) << "nothing was tried";
}

TEST(LayoutWords, NoLoopIsTooDeepForTheStack) {
  Words words;
  for (int depth = 0; depth < 100000; ++depth) words.insert(words.end(), {1, 0, 8, 1, 0, 0, 1});
  words.insert(words.end(), {1, 0, 8, 1, 0, 0, 0});
  EXPECT_FALSE(layout_from(words, 8, 8));
}

}  // namespace
}  // namespace rondo::internal::layout_words_test
