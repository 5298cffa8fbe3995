// Wire types: MPI moves the bytes of the layout, in its order.
#include "datatypes/making/wire_type.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_layout.hpp"

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
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
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

TEST(WireType, IsNothingWhereThereIsNothing) { expect_bytes_of(Layout(), "no bytes"); }

}  // namespace
}  // namespace rondo::internal::wire_type_test
