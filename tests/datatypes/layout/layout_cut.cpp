// Parts of layouts, byte by byte.
#include "datatypes/layout/layout_cut.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_layout.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal::layout_cut_test {
namespace {

void expect_right(const Layout& layout, std::int64_t bytes) {
  const std::vector<Layout> parts = cut(layout, bytes);
  ASSERT_EQ(std::ssize(parts), (layout.size() + bytes - 1) / bytes);
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].size(), i + 1 < parts.size() ? bytes : layout.size() - bytes * std::ssize(parts) + bytes);
    const std::vector<std::int64_t> of_part = bytes_of(parts[i]);
    EXPECT_EQ(std::ssize(of_part), parts[i].size());
    all.insert(all.end(), of_part.begin(), of_part.end());
  }
  EXPECT_EQ(all, bytes_of(layout)) << "in parts of " << bytes;
}

TEST(LayoutCut, RandomLayouts) {
  for (std::uint64_t seed = 0; seed < scaled(300); ++seed) {
    RandomLayouts layouts(seed);
    const Layout layout = layouts.make(static_cast<int>(seed % 4));
    for (const std::int64_t bytes : {std::int64_t{1}, layouts.draw(2, 50), layouts.draw(50, 2000), layout.size() + 1})
      expect_right(layout, bytes);
  }
}

/// Elements of several pieces, placed one by one at a distance that is not their extent.
TEST(LayoutCut, ALoopWithAStrideOfItsOwn) {
  Layout pieces;
  for (const std::int64_t place : {0, 9, 20, 33, 48, 65, 84, 105, 128, 153}) pieces.append({place, 3, 1, 0});
  pieces.set_extent(160);
  const auto element = std::make_shared<const Layout>(pieces);
  Layout layout;
  layout.append({-10, 2, 1, 0});
  for (int i = 0; i < 6; ++i) layout.append_elements(element, 1, 177 * i);
  ASSERT_EQ(layout.items().size(), 2U);
  ASSERT_NE(layout.items()[1].body, nullptr);
  ASSERT_NE(layout.items()[1].body->extent(), layout.items()[1].run.stride);
  for (const std::int64_t bytes : {7, 30, 62, 93, 130, 200}) expect_right(layout, bytes);
}

TEST(LayoutCut, OfNothingThereIsNone) {
  EXPECT_TRUE(cut(Layout{}, 8).empty());
  EXPECT_TRUE(cut(Layout::contiguous(0), 8).empty());
}

TEST(LayoutCut, WhatRepeatsStaysShort) {
  Layout row;
  row.append({0, 8, 1000, 16});
  row.set_extent(1 << 20);
  const Layout rows = row.repeated(1000);
  ASSERT_EQ(rows.items().size(), 1U);
  const std::vector<Layout> parts = cut(rows, 1'000'000);  // 125 rows
  ASSERT_EQ(parts.size(), 8U);
  for (const Layout& part : parts) {
    EXPECT_EQ(part.items().size(), 1U);
    EXPECT_EQ(part.pieces(), 125000);
  }
  for (const Layout& part : cut(rows, 1'000'003)) EXPECT_LE(part.items().size(), 8U);
}

}  // namespace
}  // namespace rondo::internal::layout_cut_test
