// Every kernel that this processor can run, against a plain loop: all lengths, strides, counts and alignments that make
// a difference to one of them.
#include "datatypes/copy_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace rondo {
namespace {

/// Memory that the pieces of one side lie in, with no byte to spare.
struct Side {
  Side(std::int64_t bytes, std::int64_t stride, std::int64_t count, std::int64_t misplaced)
      : memory(static_cast<std::size_t>(bytes + std::abs(stride) * (count - 1) + misplaced)),
        first(misplaced + (stride < 0 ? -stride * (count - 1) : 0)) {}
  [[nodiscard]] std::byte* data() { return memory.data() + first; }

  std::vector<std::byte> memory;
  std::int64_t first;
};

void expect_copied(const CopyKernels& kernels, std::int64_t bytes, std::int64_t source_stride,
                   std::int64_t target_stride, std::int64_t count, std::int64_t misplaced) {
  SCOPED_TRACE(std::string(kernels.name) + ": " + std::to_string(count) + " pieces of " + std::to_string(bytes) +
               ", strides " + std::to_string(source_stride) + " and " + std::to_string(target_stride) + ", " +
               std::to_string(misplaced) + " bytes off");
  Side source(bytes, source_stride, count, misplaced);
  Side target(bytes, target_stride, count, misplaced);
  for (std::size_t i = 0; i < source.memory.size(); ++i) source.memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  std::ranges::fill(target.memory, std::byte{0xee});
  std::vector<std::byte> expected = target.memory;
  for (std::int64_t i = 0; i < count; ++i)
    std::copy_n(source.data() + i * source_stride, bytes, expected.data() + target.first + i * target_stride);
  kernels.copy({target.data(), target_stride, source.data(), source_stride, bytes, count});
  ASSERT_TRUE(target.memory == expected);
}

TEST(CopyKernels, CopyEveryLengthAndStride) {
  for (const CopyKernels& kernels : available_copy_kernels()) {
    for (const std::int64_t bytes : {1,  2,   3,   4,   5,   8,   12,  16,  23,  24,  31,  32,   33,   48,   63,  64,
                                     65, 100, 128, 191, 192, 193, 255, 256, 257, 320, 512, 1000, 4095, 4096, 5000}) {
      for (const std::int64_t gap : {0, 1, 2, 3, 5, 8, 40, 1000}) {
        for (const std::int64_t count : {1, 2, 7, 8, 9, 63, 64, 65, 150}) {
          for (const std::int64_t misplaced : {0, 1, 8}) {
            if (bytes > 300 && count > 65) continue;
            expect_copied(kernels, bytes, bytes + gap, bytes, count, misplaced);
            expect_copied(kernels, bytes, bytes, bytes + gap, count, misplaced);
            expect_copied(kernels, bytes, bytes + gap, bytes + 2 * gap, count, misplaced);
            if (HasFatalFailure()) return;
          }
        }
      }
      expect_copied(kernels, bytes, -bytes - 9, bytes, 70, 3);
      expect_copied(kernels, bytes, bytes, -bytes - 9, 70, 3);
      expect_copied(kernels, bytes, 0, bytes, 70, 3);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CopyKernels, CopyWhatNoCacheHolds) {
  constexpr std::int64_t kBytes = std::int64_t{33} << 20;
  for (const CopyKernels& kernels : available_copy_kernels()) {
    expect_copied(kernels, 8, 16, 8, kBytes / 8, 0);
    expect_copied(kernels, 8, 16, 8, kBytes / 8, 24);
    expect_copied(kernels, 256, 320, 256, kBytes / 256, 8);
    expect_copied(kernels, 200, 200, 264, kBytes / 200, 0);
    expect_copied(kernels, 10000, 10008, 10000, kBytes / 10000, 1);
    if (HasFatalFailure()) return;
  }
}

TEST(CopyKernels, ThePlainOnesAreAlwaysThere) {
  ASSERT_FALSE(available_copy_kernels().empty());
  EXPECT_STREQ(available_copy_kernels().front().name, "plain");
}

}  // namespace
}  // namespace rondo
