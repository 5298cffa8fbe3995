#include "datatypes/copy_program.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace rondo {
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

}  // namespace
}  // namespace rondo
