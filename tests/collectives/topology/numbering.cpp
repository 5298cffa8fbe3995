#include "collectives/topology/numbering.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <random>

namespace rondo::internal::numbering_test {
namespace {

/// The same from an ordered map.
void expect_numbered(std::span<const int> rows, std::size_t width) {
  std::map<std::vector<int>, std::uint32_t> first;
  const std::size_t count = rows.size() / width;
  const auto row = [&](std::size_t i) {
    const auto span = rows.subspan(i * width, width);
    return std::vector<int>(span.begin(), span.end());
  };
  for (std::size_t i = 0; i < count; ++i) first.try_emplace(row(i), static_cast<std::uint32_t>(i));
  const Numbering numbering = number_rows(rows, width);
  ASSERT_EQ(numbering.size(), first.size());
  std::uint32_t number = 0;
  for (const auto& [vector, place] : first) {
    EXPECT_EQ(numbering.first_of[number], place);
    ++number;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto distance = std::distance(first.begin(), first.find(row(i)));
    EXPECT_EQ(numbering.number_of[i], static_cast<std::uint32_t>(distance));
  }
}

TEST(Numbering, AscendingAndFirst) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t width = 1 + random() % 9;
    const int spread = std::array{1, 3, 1000, std::numeric_limits<int>::max()}[random() % 4];  // the last: no table
    std::vector<int> rows(width * (random() % 60));
    for (int& coordinate : rows)
      coordinate = static_cast<int>(random() % static_cast<std::uint64_t>(spread)) * (random() % 2 == 0 ? 1 : -1);
    expect_numbered(rows, width);
  }
}

TEST(Numbering, ExtremesOfInt) {
  const std::vector<int> rows{std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), 0,
                              std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 0};
  expect_numbered(rows, 1);
  expect_numbered(rows, 2);
  expect_numbered(rows, 3);
  EXPECT_EQ(number_rows({}, 3).size(), 0U);
}

}  // namespace
}  // namespace rondo::internal::numbering_test
