#include "runtime/check/symbolic_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rondo::internal::symbolic_memory_test {
namespace {

SymbolicRow read(const SymbolicMemory& memory, std::int64_t begin, std::int64_t end) {
  SymbolicRow row;
  memory.read(begin, end, row);
  return row;
}

/// A row put together piece by piece.
SymbolicRow row_of(const std::vector<SymbolicBytes>& pieces) {
  SymbolicRow row;
  for (const SymbolicBytes& piece : pieces) row.append(piece);
  return row;
}

/// Of eight bytes of rank 1, those in the middle, at either end, or all are written again, by rank 2.
TEST(SymbolicMemory, WhatIsWrittenAgainLeavesTheRestAsItWas) {
  for (std::int64_t begin = 0; begin < 8; ++begin) {
    for (std::int64_t end = begin + 1; end <= 8; ++end) {
      SymbolicMemory memory;
      memory.write(0, {1, 100, 8}, 5);
      memory.write(begin, {2, 200, end - begin}, 6);
      EXPECT_EQ(read(memory, 0, 8).pieces(),
                row_of({{1, 100, begin}, {2, 200, end - begin}, {1, 100 + end, 8 - end}}).pieces())
          << begin << " to " << end;
      for (std::int64_t place = 0; place < 8; ++place)
        EXPECT_EQ(memory.writer_of(place), place >= begin && place < end ? 6U : 5U) << begin << " to " << end;
    }
  }
}

/// Of several pieces: the one that begins before, those within, and the one that ends behind.
TEST(SymbolicMemory, AWriteAcrossSeveralPieces) {
  SymbolicMemory memory;
  for (int i = 0; i < 4; ++i) memory.write(4 * i, {i, 0, 4}, static_cast<TaskId>(i));
  memory.write(2, {9, 50, 11}, 8);
  EXPECT_EQ(read(memory, 0, 16).pieces(), row_of({{0, 0, 2}, {9, 50, 11}, {3, 1, 3}}).pieces());
}

TEST(SymbolicMemory, WhatNobodyWroteIsNothing) {
  SymbolicMemory memory;
  memory.write(4, {1, 0, 2}, 0);
  const SymbolicBytes nothing{SymbolicBytes::kNothing, 0, 4};
  EXPECT_EQ(read(memory, 0, 10).pieces(), row_of({nothing, {1, 0, 2}, nothing}).pieces());
  EXPECT_EQ(memory.writer_of(3), kNoTask);
  EXPECT_EQ(memory.writer_of(6), kNoTask);
}

}  // namespace
}  // namespace rondo::internal::symbolic_memory_test
