#include "datatypes/copying/copy_program.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_layout.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

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
  for (std::uint64_t seed = 0; seed < scaled(4000); ++seed) {
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

struct Piece {
  std::int64_t source;
  std::int64_t target;
  std::int64_t bytes;
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Pieces of `least` to `longest` bytes without any order, on both sides.
std::vector<Piece> draw_pieces(RandomLayouts& random, std::int64_t count, std::int64_t least, std::int64_t longest) {
  std::vector<Piece> pieces;
  std::int64_t source = random.draw(0, 64);
  std::int64_t target = random.draw(0, 64);
  for (std::int64_t i = 0; i < count; ++i) {
    pieces.push_back({source, target, random.draw(least, longest)});
    source += pieces.back().bytes + random.draw(1, 40);
    target += pieces.back().bytes + random.draw(1, 40);
  }
  return pieces;
}

CopyProgram program_of(std::span<const Piece> pieces) {
  CopyProgram program;
  for (const Piece& piece : pieces) program.append(piece.source, piece.target, piece.bytes);
  program.finish();
  return program;
}

std::vector<Piece> pieces_of(std::span<const CopyRun> program) {
  std::vector<Piece> pieces;
  for_each_copied_piece(program, [&](auto source, auto target, auto bytes) {
    pieces.push_back({source, target, bytes});
  });
  return pieces;
}

bool begins_with_list(const CopyProgram& program) { return program.runs().front().body == kListed; }

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
  RandomLayouts random(0);
  CopyProgram list = program_of(draw_pieces(random, 50, 1, 40));
  for (int i = 0; i < 10; ++i) list.append(-100 * i * i, -50 * i * i, 10 + i);  // and backwards
  list.finish();
  ASSERT_TRUE(begins_with_list(list));
  expect_bounds(list);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Layout from = RandomLayouts(seed).make(2);
    CopyProgram program;
    program.append(from, 3, Layout::contiguous(from.size()), 11);
    expect_bounds(program);
    if (HasFatalFailure()) return;
  }
}

/// That the program copies these bytes in their order, as a whole and in any two or three parts.
void expect_copied(const CopyProgram& program, std::span<const Piece> pieces) {
  std::int64_t source_end = 0;
  std::int64_t target_end = 0;
  for (const Piece& piece : pieces) {
    source_end = std::max(source_end, piece.source + piece.bytes);
    target_end = std::max(target_end, piece.target + piece.bytes);
  }
  const auto source = numbered(static_cast<std::size_t>(source_end));
  const std::vector<std::byte> untouched(static_cast<std::size_t>(target_end), std::byte{0xee});
  auto expected = untouched;
  std::vector<std::size_t> places;  // of each byte that is copied
  for (const Piece& piece : pieces) {
    std::copy_n(source.begin() + piece.source, piece.bytes, expected.begin() + piece.target);
    for (std::int64_t i = 0; i < piece.bytes; ++i) places.push_back(static_cast<std::size_t>(piece.target + i));
  }
  ASSERT_EQ(program.bytes(), std::ssize(places));
  auto target = untouched;
  run_copies(program.runs(), source.data(), target.data());
  ASSERT_EQ(target, expected);
  // From each byte to each other, if there are few: what lies in no part is not touched.
  const std::int64_t step = std::max<std::int64_t>(1, program.bytes() / 150);
  for (std::int64_t begin = 0; begin < program.bytes(); begin += step) {
    auto grown = untouched;
    for (std::int64_t end = begin; end <= program.bytes(); end += step) {
      target = untouched;
      run_copies(program.runs(), source.data(), target.data(), begin, end);
      ASSERT_EQ(target, grown) << "bytes " << begin << " to " << end;
      for (std::int64_t i = end; i < std::min(end + step, program.bytes()); ++i) {
        const std::size_t place = places[static_cast<std::size_t>(i)];
        grown[place] = expected[place];
      }
    }
  }
}

TEST(CopyProgram, ListsPiecesWithoutOrder) {
  for (const std::int64_t longest : {8, 40, 300}) {
    RandomLayouts random(static_cast<std::uint64_t>(longest));
    const std::vector<Piece> pieces = draw_pieces(random, 1000, 8, longest);
    const CopyProgram program = program_of(pieces);
    EXPECT_EQ(pieces_of(program.runs()), pieces);
    // The list and its pieces, four an entry; now and then, some of one length are equally spaced by chance.
    EXPECT_LE(program.runs().size(), 255U) << longest;
    EXPECT_EQ(ListedPieces(program.runs()).one_length(), longest == 8 ? 8 : 0);
  }
}

TEST(CopyProgram, CopiesListsOfEveryLength) {
  RandomLayouts random(1);
  for (std::int64_t count = 1; count <= 20; ++count) {
    for (const std::int64_t longest : {2, 9, 20}) {
      const std::vector<Piece> pieces = draw_pieces(random, count, 1, longest);
      expect_copied(program_of(pieces), pieces);
      if (HasFatalFailure()) return;
    }
  }
  for (const std::int64_t bytes : {1, 2, 3, 4, 8, 12, 16, 64, 65}) {
    const std::vector<Piece> pieces = draw_pieces(random, 30, bytes, bytes);
    const CopyProgram program = program_of(pieces);
    ASSERT_TRUE(begins_with_list(program));
    expect_copied(program, pieces);
    if (HasFatalFailure()) return;
  }
  for (const std::int64_t shortest : {4, 8, 16, 32}) {  // that of the first piece
    for (const std::int64_t more : {9, 90}) {
      std::vector<Piece> pieces = draw_pieces(random, 20, shortest + 1, shortest + more);
      pieces.front().bytes = shortest;
      expect_copied(program_of(pieces), pieces);
      if (HasFatalFailure()) return;
    }
  }
  const std::vector<Piece> longer = draw_pieces(random, 60, 1, 200);
  expect_copied(program_of(longer), longer);
}

/// Lists hold places of 32 bits and lengths of 32 bits, to the last of them; what is farther or longer does without.
TEST(CopyProgram, ListsWhatIsWithinReach) {
  constexpr std::int64_t kReach = std::int64_t{1} << 31;
  constexpr std::int64_t kLongest = (std::int64_t{1} << 32) - 1;
  const auto expect_pieces = [](const std::vector<Piece>& pieces, std::size_t entries) {
    const CopyProgram program = program_of(pieces);
    EXPECT_EQ(pieces_of(program.runs()), pieces);
    EXPECT_EQ(program.runs().size(), entries);
    std::int64_t bytes = 0;
    for (auto left = program.runs(); !left.empty(); left = left.subspan(entries_of_first(left)))
      bytes += bytes_of_first(left);
    EXPECT_EQ(bytes, program.bytes());
  };
  constexpr std::int64_t kFirst = 7 * kReach;
  std::vector<Piece> near;
  for (std::int64_t i = 0; i < 8; ++i) near.push_back({kFirst + i * i * 100, kFirst + i * 100, i + 1});
  const auto with = [&](std::size_t at, Piece piece) {
    std::vector<Piece> pieces = near;
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(at), piece);
    return pieces;
  };
  expect_pieces(near, 3);
  for (const std::size_t at : {3U, 8U}) {  // while a list is made, and when it is there
    expect_pieces(with(at, {kFirst + kReach - 1, 0 + kFirst, 20}), 4);
    expect_pieces(with(at, {kFirst - kReach, kFirst, 20}), 4);
    expect_pieces(with(at, {kFirst, kFirst + kReach - 1, 20}), 4);
    expect_pieces(with(at, {kFirst, kFirst - kReach, 20}), 4);
    expect_pieces(with(at, {kFirst, kFirst, kLongest}), 4);
  }
  expect_pieces(with(8, {kFirst + kReach, kFirst, 20}), 4);
  expect_pieces(with(8, {kFirst - kReach - 1, kFirst, 20}), 4);
  expect_pieces(with(8, {kFirst, kFirst + kReach, 20}), 4);
  expect_pieces(with(8, {kFirst, kFirst - kReach - 1, 20}), 4);
  expect_pieces(with(8, {kFirst, kFirst, kLongest + 1}), 4);
  expect_pieces(with(3, {kFirst + kReach, kFirst, 20}), 9);
  expect_pieces(with(3, {kFirst, kFirst - kReach - 1, 20}), 9);
  expect_pieces(with(3, {kFirst, kFirst, kLongest + 1}), 9);
  // Each list where it is within its own reach.
  std::vector<Piece> twice = near;
  for (const Piece& piece : near) twice.push_back({piece.source - 5 * kReach, piece.target, piece.bytes});
  expect_pieces(twice, 6);
}

/// Two pieces of one length are a run, whose own step may be too far for a list that begins with it.
TEST(CopyProgram, ListsNoRunThatIsOutOfItsOwnReach) {
  constexpr std::int64_t kFar = std::int64_t{5} << 31;
  for (const bool far_source : {false, true}) {
    std::vector<Piece> pieces{{0, 0, 1}, {far_source ? kFar : 1, far_source ? 1 : kFar, 1}};
    for (int i = 0; i < 20; ++i) pieces.push_back({10 + 64 * i, 10 + i * i, 1 + i % 2});
    const CopyProgram program = program_of(pieces);
    EXPECT_EQ(pieces_of(program.runs()), pieces);
  }
}

TEST(CopyProgram, MergesBesideLists) {
  RandomLayouts random(2);
  const std::vector<Piece> pieces = draw_pieces(random, 20, 100, 200);
  CopyProgram program = program_of(pieces);
  const std::size_t listed = program.runs().size();
  ASSERT_EQ(listed, 6U);
  // A piece that is appended bit by bit, before and after the end was settled, and a column.
  const std::int64_t source = pieces.back().source + 1000;
  const std::int64_t target = pieces.back().target + 1000;
  for (std::int64_t i = 0; i < 50; ++i) program.append(source + i, target + i, 1);
  EXPECT_EQ(program.runs().size(), listed + 1);
  EXPECT_EQ(program.runs().back().bytes, 50);
  for (std::int64_t i = 0; i < 50; ++i) program.append(source + 1000 + 10 * i, target + 1000 + 9 * i, 4);
  EXPECT_EQ(program.runs().size(), listed + 2) << "a list of 21, and the column";
  EXPECT_EQ(program.runs().back().count, 50U);
  program.finish();
  EXPECT_EQ(program.runs().size(), listed + 2);
  std::vector<Piece> all = pieces;
  all.push_back({source, target, 50});
  for (std::int64_t i = 0; i < 50; ++i) all.push_back({source + 1000 + 10 * i, target + 1000 + 9 * i, 4});
  EXPECT_EQ(pieces_of(program.runs()), all);
}

TEST(CopyProgram, ListsPiecesInLoops) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    RandomLayouts random(seed);
    Layout body;
    std::vector<Piece> pieces;
    std::int64_t packed = 0;
    for (const Piece& piece : draw_pieces(random, 40, 1, 30)) {
      body.append({piece.source, piece.bytes, 1, 0});
      pieces.push_back({piece.source, packed, piece.bytes});
      packed += piece.bytes;
    }
    body.set_extent(pieces.back().source + 200);
    constexpr std::int64_t kTimes = 5;
    for (std::int64_t i = 1; i < kTimes; ++i) {
      for (std::size_t k = 0; k < 40; ++k)
        pieces.push_back({pieces[k].source + i * body.extent(), pieces[k].target + i * packed, pieces[k].bytes});
    }
    CopyProgram program;
    program.append(body.repeated(kTimes), 0, Layout::contiguous(kTimes * packed), 0);
    program.finish();
    EXPECT_LE(program.runs().size(), 1U + 1 + 10 + 4);
    expect_copied(program, pieces);
    if (HasFatalFailure()) return;
  }
}

/// Whatever stands beside a list, and whatever way it was appended.
TEST(CopyProgram, ListsAmongOtherEntries) {
  std::size_t lists = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomLayouts random(seed);
    CopyProgram program;
    std::vector<Piece> pieces;
    std::int64_t source = 0;
    std::int64_t target = 0;
    const auto append = [&](const Layout& from, const Layout& to) {
      program.append(from, source - from.true_begin(), to, target - to.true_begin());
      const auto read = bytes_of(from, source - from.true_begin());
      const auto written = bytes_of(to, target - to.true_begin());
      for (std::size_t i = 0; i < read.size(); ++i) pieces.push_back({read[i], written[i], 1});
      source += from.true_end() - from.true_begin() + random.draw(0, 3);
      target += to.true_end() - to.true_begin() + random.draw(0, 3);
    };
    for (std::int64_t part = random.draw(1, 6); part > 0; --part) {
      Layout layout;
      switch (random.draw(0, 4)) {
        case 0:  // a triangle
          layout.append({0, random.draw(1, 4), random.draw(3, 12), random.draw(60, 70), random.draw(1, 4)});
          break;
        case 1:  // a column
          layout.append({0, random.draw(1, 9), random.draw(1, 9), random.draw(10, 20)});
          break;
        case 2: {  // a loop
          Layout body;
          std::int64_t place = 0;
          for (std::int64_t i = random.draw(2, 12); i > 0; --i) {
            body.append({place, random.draw(1, 9), 1, 0});
            place += 9 + random.draw(1, 9);
          }
          body.set_extent(place + random.draw(0, 5));
          layout.append_elements(std::make_shared<const Layout>(std::move(body)), random.draw(1, 4), 0);
          break;
        }
        default: {  // pieces
          std::int64_t place = 0;
          const std::int64_t lengths = random.draw(1, 5);
          for (std::int64_t i = random.draw(1, 30); i > 0; --i) {
            layout.append({place, random.draw(1, lengths), 1, 0});
            place += 5 + random.draw(0, 9);
          }
          break;
        }
      }
      if (random.draw(0, 1) == 0)
        append(layout, Layout::contiguous(layout.size()));
      else
        append(Layout::contiguous(layout.size()), layout);
      if (random.draw(0, 3) == 0) program.finish();
    }
    std::vector<Piece> bytes;
    for (const Piece& piece : pieces_of(program.runs())) {
      for (std::int64_t i = 0; i < piece.bytes; ++i) bytes.push_back({piece.source + i, piece.target + i, 1});
    }
    ASSERT_EQ(bytes, pieces);
    if (seed % 10 == 0) expect_copied(program, pieces);
    if (HasFatalFailure()) return;
    for (auto left = program.runs(); !left.empty(); left = left.subspan(entries_of_first(left)))
      lists += left.front().body == kListed ? 1U : 0U;
  }
  EXPECT_GE(lists, 300U);
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
