#include "datatypes/copying/copy_program.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_layout.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace rondo::internal::copy_program_test {
namespace {

std::vector<std::byte> numbered(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  return bytes;
}

TEST(CopyProgram, CopiesEveryLength) {
  const auto source = numbered(400);
  for (std::int64_t bytes = 0; bytes <= 200; ++bytes) {
    for (const std::int64_t count : {1, 2, 3}) {
      CopyProgram program;
      std::vector<std::byte> target(1000, std::byte{0xee});
      auto expected = target;
      for (std::int64_t i = 0; i < count; ++i) {
        program.append(i * 67, 1 + i * 211, bytes);
        std::copy_n(source.begin() + i * 67, bytes, expected.begin() + 1 + i * 211);
      }
      EXPECT_EQ(program.bytes(), bytes * count);
      run_copies(program.runs(), source.data(), target.data());
      ASSERT_EQ(target, expected) << bytes << " bytes, " << count << " pieces";
    }
  }
}

TEST(CopyProgram, MergesNeighborsAndStrides) {
  CopyProgram neighbors;
  for (int i = 0; i < 10; ++i) neighbors.append(i * 4, 100 + i * 4, 4);
  ASSERT_EQ(neighbors.runs().size(), 1U);
  EXPECT_EQ(neighbors.runs().front().bytes, 40);

  CopyProgram strided;
  for (int i = 0; i < 10; ++i) strided.append(i * 64, i * 8, 8);
  ASSERT_EQ(strided.runs().size(), 1U);
  EXPECT_EQ(strided.runs().front().count, 10);
}

TEST(CopyProgram, TranspacksBetweenLayouts) {
  Layout columns;
  columns.append({3, 2, 6, 10});
  Layout rows;
  rows.append({0, 5, 2, 20});
  rows.append({90, 2, 1, 0});
  const auto source = numbered(100);
  std::vector<std::byte> target(100, std::byte{0});
  CopyProgram program;
  program.append(columns, 0, rows, 0);
  run_copies(program.runs(), source.data(), target.data());
  std::vector<std::byte> packed;
  for (int i = 0; i < 6; ++i)
    packed.insert(packed.end(),
                  {source[static_cast<std::size_t>(3 + 10 * i)], source[static_cast<std::size_t>(4 + 10 * i)]});
  std::size_t next = 0;
  for (const std::size_t start : {0U, 20U}) {
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(target[start + i], packed[next++]);
  }
  EXPECT_EQ(target[90], packed[10]);
  EXPECT_EQ(target[91], packed[11]);
}

/// Cuts the longer of two layouts so that both have the same number of bytes.
void cut(const Layout& layout, std::int64_t bytes, Layout& result) {
  layout.for_each_piece([&](std::int64_t offset, std::int64_t length) {
    result.append({offset, std::min(length, bytes - result.size()), 1, 0});
  });
}

TEST(CopyProgram, TranspacksWhateverIsNested) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    RandomLayouts random(seed);
    Layout from = random.make(static_cast<int>(seed % 3));
    Layout to = seed % 4 == 0   ? Layout::contiguous(from.size())
                : seed % 4 == 1 ? from.repeated(1)
                                : random.make(static_cast<int>(seed / 3 % 3));
    if (seed % 8 == 0) std::swap(from, to);
    if (from.size() != to.size()) {
      const std::int64_t common = std::min(from.size(), to.size());
      Layout shorter;
      cut(from.size() > to.size() ? from : to, common, shorter);
      (from.size() > to.size() ? from : to) = shorter;
    }
    CopyProgram program;
    program.append(from, 7, to, -3);
    ASSERT_EQ(program.bytes(), from.size());

    // What it says, byte by byte.
    const std::vector<std::int64_t> sources = bytes_of(from, 7);
    const std::vector<std::int64_t> targets = bytes_of(to, -3);
    std::vector<std::int64_t> read;
    std::vector<std::int64_t> written;
    for_each_copied_piece(program.runs(), [&](std::int64_t source, std::int64_t target, std::int64_t bytes) {
      for (std::int64_t i = 0; i < bytes; ++i) {
        read.push_back(source + i);
        written.push_back(target + i);
      }
    });
    ASSERT_EQ(read, sources);
    ASSERT_EQ(written, targets);

    // What it does, whole and in parts.
    if (from.size() == 0 || std::set(targets.begin(), targets.end()).size() != targets.size()) continue;
    const auto [first_read, last_read] = std::ranges::minmax(sources);
    const auto [first_written, last_written] = std::ranges::minmax(targets);
    const auto source = numbered(static_cast<std::size_t>(last_read - first_read + 1));
    std::vector<std::byte> whole(static_cast<std::size_t>(last_written - first_written + 1), std::byte{0xee});
    auto expected = whole;
    auto in_parts = whole;
    for (std::size_t i = 0; i < sources.size(); ++i)
      expected[static_cast<std::size_t>(targets[i] - first_written)] =
          source[static_cast<std::size_t>(sources[i] - first_read)];
    run_copies(program.runs(), source.data() - first_read, whole.data() - first_written);
    ASSERT_EQ(whole, expected);
    for (std::int64_t begin = 0; begin < program.bytes();) {
      const std::int64_t end = std::min(program.bytes(), begin + random.draw(1, program.bytes()));
      const auto before = in_parts;
      run_copies(program.runs(), source.data() - first_read, in_parts.data() - first_written, end, end);
      ASSERT_EQ(in_parts, before) << "an empty part";
      run_copies(program.runs(), source.data() - first_read, in_parts.data() - first_written, begin, end);
      begin = end;
    }
    ASSERT_EQ(in_parts, expected);
  }
}

TEST(CopyProgram, IsAsLongAsTheDescription) {
  const auto entries = [](const Layout& from, const Layout& to) {
    CopyProgram program;
    program.append(from, 0, to, 0);
    return program.runs().size();
  };
  Layout pair;  // 8 and 4 bytes of 24
  pair.append({0, 8, 1, 0});
  pair.append({16, 4, 1, 0});
  pair.set_extent(24);
  const Layout pairs = pair.repeated(1'000'000);
  EXPECT_LE(entries(pairs, Layout::contiguous(pairs.size())), 3U);
  EXPECT_LE(entries(pairs, pairs), 3U);
  Layout column;
  column.append({0, 8, 3'000'000, 64});
  Layout column_of_fours;
  column_of_fours.append({0, 4, 3'000'000, 64});
  EXPECT_LE(entries(pairs, column_of_fours), 4U) << "12 bytes against 4";
  Layout twenty_fours;
  twenty_fours.append({0, 24, 1'000'000, 100});
  EXPECT_LE(entries(column, twenty_fours), 3U) << "8 bytes against 24";
  Layout triangle;
  triangle.append({0, 8, 100'000, 800'008, 8});
  EXPECT_EQ(entries(triangle, Layout::contiguous(triangle.size())), 2U);
  EXPECT_EQ(entries(Layout::contiguous(triangle.size()), triangle), 2U);
  EXPECT_EQ(entries(triangle, triangle), 2U);
}

/// Whatever is in the entries.
TEST(CopyProgram, BoundsHoldAllPieces) {
  const auto expect_bounds = [](const CopyProgram& program) {
    for (auto left = program.runs(); !left.empty(); left = left.subspan(entries_of_first(left))) {
      CopyBounds expected{INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN};
      for_each_copied_piece(left.first(entries_of_first(left)), [&](auto source, auto target, auto bytes) {
        expected.source_begin = std::min(expected.source_begin, source);
        expected.source_end = std::max(expected.source_end, source + bytes);
        expected.target_begin = std::min(expected.target_begin, target);
        expected.target_end = std::max(expected.target_end, target + bytes);
      });
      const CopyBounds found = bounds_of_first(left);
      ASSERT_EQ(found.source_begin, expected.source_begin);
      ASSERT_EQ(found.source_end, expected.source_end);
      ASSERT_EQ(found.target_begin, expected.target_begin);
      ASSERT_EQ(found.target_end, expected.target_end);
    }
  };
  CopyProgram backwards;
  for (int i = 0; i < 10; ++i) backwards.append(1000 - 64 * i, 8 * i, 8);
  expect_bounds(backwards);
  Layout triangle;
  triangle.append({5, 8, 10, 100, 8});
  CopyProgram growing;
  growing.append(triangle, 0, Layout::contiguous(triangle.size()), 7);
  expect_bounds(growing);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Layout from = RandomLayouts(seed).make(2);
    CopyProgram program;
    program.append(from, 3, Layout::contiguous(from.size()), 11);
    expect_bounds(program);
    if (HasFatalFailure()) return;
  }
}

TEST(CopyProgram, CopiesMorePiecesThanAnEntryCounts) {
  constexpr std::int64_t kCount = (std::int64_t{1} << 33) + 5;
  Layout many;
  many.append({0, 1, kCount, 2});
  CopyProgram program;
  program.append(many, 0, Layout::contiguous(kCount), 0);
  EXPECT_EQ(program.bytes(), kCount);
  EXPECT_LE(program.runs().size(), 4U);
  std::int64_t bytes = 0;
  for (const CopyRun& run : program.runs()) bytes += run.bytes * run.count;
  EXPECT_EQ(bytes, kCount);
}

}  // namespace
}  // namespace rondo::internal::copy_program_test
