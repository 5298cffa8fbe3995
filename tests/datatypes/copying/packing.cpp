// Packing through memory of this core: the same bytes as the program itself writes, whatever it is made of.
#include "datatypes/copying/packing.hpp"

#include <gtest/gtest.h>

#include "datatypes/copying/copy_program.hpp"
#include "tests/support/random_layout.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal::packing_test {
namespace {

CopyProgram packing(const Layout& layout) {
  CopyProgram program;
  program.append(layout, 0, Layout::contiguous(layout.size()), 0);
  program.finish();
  return program;
}

void expect_packed_alike(const Layout& layout) {
  const CopyProgram program = packing(layout);
  ASSERT_TRUE(packs(program.runs()));
  if (layout.size() == 0) return;
  const std::int64_t first = layout.true_begin();
  std::vector<std::byte> source(static_cast<std::size_t>(layout.true_end() - first));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251);
  const auto size = static_cast<std::size_t>(layout.size());
  std::vector<std::byte> expected(size + 1, std::byte{0xee});
  std::vector<std::byte> packed = expected;
  run_copies(program.runs(), source.data() - first, expected.data());
  pack_for_another_core(program.runs(), source.data() - first, packed.data(), layout.size());
  ASSERT_TRUE(packed == expected);
}

/// So many elements.
Layout repeated(const Layout& layout, std::int64_t count) {
  Layout all;
  all.append_elements(std::make_shared<const Layout>(layout), count, 0);
  return all;
}

TEST(Packing, DoesWhatTheProgramDoes) {
  for (std::uint64_t seed = 0; seed < scaled(600); ++seed) {
    SCOPED_TRACE(seed);
    RandomLayouts random(seed);
    const Layout one = random.make(static_cast<int>(seed % 3));
    if (one.size() == 0) continue;
    expect_packed_alike(repeated(one, 1 + random.draw(0, 120000) / one.size()));
  }
}

/// Shorter and longer than what is packed at once, and than what is copied as it lies.
TEST(Packing, TakesPiecesOfAnyLength) {
  for (const std::int64_t length : {1, 8, 512, 4095, 4096, 16383, 16384, 16385, 32768, 40000, 100000}) {
    SCOPED_TRACE(length);
    for (const std::int64_t count : {1, 2, 3, 9}) {
      Layout pieces;
      pieces.append({5, length, count, length + 3});
      expect_packed_alike(pieces);
      Layout with_short_ones;
      with_short_ones.append({0, length, 1, 0});
      with_short_ones.append({length + 1, 3, 1, 0});
      with_short_ones.set_extent(length + 10);
      expect_packed_alike(repeated(with_short_ones, count * 5));
      Layout behind_a_short_one;
      behind_a_short_one.append({0, 3, 1, 0});
      behind_a_short_one.append({10, length, 4 * count, length + 3});
      expect_packed_alike(behind_a_short_one);
    }
  }
}

TEST(Packing, TakesListsAndTriangles) {
  RandomLayouts random(1);
  Layout list;
  for (std::int64_t place = 0; list.size() < 150000;) {
    const std::int64_t length = random.draw(0, 99) == 0 ? random.draw(1, 50000) : random.draw(1, 60);
    list.append({place, length, 1, 0});
    place += length + random.draw(1, 30);
  }
  expect_packed_alike(list);
  Layout triangle;
  triangle.append({0, 8, 300, 4000, 8});
  expect_packed_alike(triangle);
  Layout of_long_rows;
  of_long_rows.append({0, 2000, 30, 70000, 2000});
  expect_packed_alike(of_long_rows);
}

TEST(Packing, IsToldFromOtherCopies) {
  Layout column;
  column.append({0, 8, 100, 64});
  const Layout row = Layout::contiguous(800);
  const auto packs_between = [](const Layout& from, const Layout& to, std::int64_t target) {
    CopyProgram program;
    program.append(from, 0, to, target);
    program.finish();
    return packs(program.runs());
  };
  EXPECT_TRUE(packs_between(column, row, 0));
  EXPECT_FALSE(packs_between(row, column, 0));
  EXPECT_FALSE(packs_between(column, row, 8));
  EXPECT_FALSE(packs_between(column, column, 0));
  Layout pair;
  pair.append({0, 8, 1, 0});
  pair.append({16, 4, 1, 0});
  pair.set_extent(24);
  const Layout pairs = repeated(pair, 50);
  EXPECT_TRUE(packs_between(pairs, Layout::contiguous(600), 0));
  EXPECT_FALSE(packs_between(Layout::contiguous(600), pairs, 0));
  EXPECT_FALSE(packs_between(pairs, pairs, 0));
  CopyProgram backwards;
  for (std::int64_t i = 0; i < 40; ++i) backwards.append(i * i, (39 - i) * 7, 7);
  backwards.finish();
  EXPECT_FALSE(packs(backwards.runs()));
}

}  // namespace
}  // namespace rondo::internal::packing_test
