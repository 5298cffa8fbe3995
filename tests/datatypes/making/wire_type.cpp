// Wire types: MPI moves the bytes of the layout, in its order.
#include "datatypes/making/wire_type.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_layout.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace rondo::internal::wire_type_test {
namespace {

void expect_bytes_of(const Layout& layout, const std::string& what) {
  const WireType wire(layout);
  int size = 0;
  MPI_Type_size(wire.get(), &size);
  ASSERT_EQ(size, layout.size()) << what;
  if (size == 0) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(layout.true_end() - layout.true_begin()));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  std::vector<std::byte> packed(static_cast<std::size_t>(size));
  int position = 0;
  MPI_Pack(memory.data() - layout.true_begin(), 1, wire.get(), packed.data(), size, &position, MPI_COMM_SELF);
  std::vector<std::byte> expected;
  for (const std::int64_t place : bytes_of(layout, -layout.true_begin()))
    expected.push_back(memory[static_cast<std::size_t>(place)]);
  ASSERT_EQ(packed, expected) << what;
}

TEST(WireType, MovesWhateverIsNested) {
  for (std::uint64_t seed = 0; seed < scaled(2000); ++seed) {
    RandomLayouts random(seed);
    expect_bytes_of(random.make(static_cast<int>(seed % 4)), "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

/// A thousand loops over one body of a thousand pieces: two thousand entries for MPI, not a million.
TEST(WireType, MakesABodyOnce) {
  Layout list;
  for (int i = 0; i < 1000; ++i) list.append({5 * i + i * i % 3, 2, 1, 0});
  list.set_extent(6000);
  const auto body = std::make_shared<const Layout>(std::move(list));
  Layout layout;
  for (int i = 0; i < 1000; ++i) layout.append_elements(body, 2, 13'000 * i + i * i % 7);
  expect_bytes_of(layout, "loops over one body");
}

/// A stride that Open MPI takes for another is written out in lists, and in rows of them where these would be long.
TEST(WireType, MovesBytesBackwards) {
  for (const std::int64_t count : {2, 1023, 1024, 1025, 5000, 3'000'000}) {
    Layout layout;
    layout.append({count - 1, 1, count, -1});
    expect_bytes_of(layout, std::to_string(count) + " bytes backwards");
  }
}

/// Bytes, and from where to where, by MPI.
void expect_span_of(const Layout& layout, const std::string& what) {
  const WireType wire(layout);
  MPI_Count size = 0;
  MPI_Type_size_x(wire.get(), &size);
  EXPECT_EQ(size, layout.size()) << what;
  MPI_Count begin = 0;
  MPI_Count span = 0;
  MPI_Type_get_true_extent_x(wire.get(), &begin, &span);
  EXPECT_EQ(begin, layout.true_begin()) << what;
  EXPECT_EQ(begin + span, layout.true_end()) << what;
}

/// MPI's counts are ints.
TEST(WireType, HasMorePiecesThanAnIntCounts) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  for (const std::int64_t count : {kMany, kMany + 7, 3 * kMany}) {
    const std::string what = std::to_string(count) + " pieces";
    Layout strided;
    strided.append({5, 2, count, 3});
    expect_span_of(strided, what);
    Layout descending;
    descending.append({4 * count, 1, count, -4});
    expect_span_of(descending, what + " downwards");
    Layout pair;
    pair.append({0, 1, 1, 0});
    pair.append({2, 4, 1, 0});
    pair.set_extent(7);
    expect_span_of(pair.repeated(count), what + " of two parts each");
    Layout backwards;
    backwards.append({count, 1, count, -1});
    expect_span_of(backwards, what + " backwards");
  }
  Layout long_pieces;
  long_pieces.append({-9, kMany + 1, 1000, kMany + 3});
  expect_span_of(long_pieces, "long pieces");
}

TEST(WireType, IsNothingWhereThereIsNothing) { expect_bytes_of(Layout(), "no bytes"); }

}  // namespace
}  // namespace rondo::internal::wire_type_test
