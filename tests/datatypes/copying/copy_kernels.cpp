// Every kernel that this processor can run, against a plain loop: all lengths, strides, counts and alignments that make
// a difference to one of them. Before and after the memory of each side lie pages that may not be touched: some kernels
// read and write more than one piece at once, and no sanitizer looks at them.
#include "datatypes/copying/copy_kernels.hpp"

#include "datatypes/copying/copy_program.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::copy_kernels_test {
namespace {

/// Whole pages, with one before and one behind them that nobody may touch.
class FencedPages {
 public:
  explicit FencedPages(std::int64_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        size_((static_cast<std::size_t>(bytes) + page_ - 1) / page_ * page_) {
    void* mapped = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<std::byte*>(mapped) + page_;
    if (mprotect(first_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  FencedPages(const FencedPages&) = delete;
  FencedPages& operator=(const FencedPages&) = delete;
  ~FencedPages() { munmap(first_ - page_, size_ + 2 * page_); }
  [[nodiscard]] std::span<std::byte> memory() const { return {first_, size_}; }

 private:
  std::size_t page_;
  std::size_t size_;
  std::byte* first_;
};

/// How far the memory of the pieces is from a fence.
struct Place {
  std::int64_t away;
  bool from_the_end;
};
constexpr Place kAtTheFront{0, false};
constexpr Place kAtTheEnd{0, true};

struct Pieces {
  std::int64_t bytes;
  std::int64_t source_stride;
  std::int64_t target_stride;
  std::int64_t count;
};

/// The pieces of one side.
class Side {
 public:
  Side(const FencedPages& pages, std::int64_t bytes, std::int64_t stride, std::int64_t count, Place place)
      : memory_(pages.memory()) {
    const std::int64_t reach = bytes + std::abs(stride) * (count - 1);
    begin_ = place.from_the_end ? std::ssize(memory_) - place.away - reach : place.away;
    end_ = begin_ + reach;
    first_ = begin_ + (stride < 0 ? -stride * (count - 1) : 0);
  }
  [[nodiscard]] std::byte* data() const { return memory_.data() + first_; }
  /// The pieces and some bytes around them, as far as there are any.
  [[nodiscard]] std::span<std::byte> surroundings() const {
    const std::int64_t from = std::max<std::int64_t>(0, begin_ - kAround);
    const std::int64_t to = std::min(std::ssize(memory_), end_ + kAround);
    return memory_.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  }

 private:
  static constexpr std::int64_t kAround = 128;
  std::span<std::byte> memory_;
  std::int64_t begin_;
  std::int64_t end_;
  std::int64_t first_;
};

/// Memory for both sides, the source's of bytes that differ from their neighbors.
class Memory {
 public:
  explicit Memory(std::int64_t bytes) : source_(bytes), target_(bytes) {
    const std::span<std::byte> memory = source_.memory();
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  }

  void expect_copied(const CopyKernels& kernels, const Pieces& pieces, Place place) {
    SCOPED_TRACE(std::to_string(pieces.count) + " pieces of " + std::to_string(pieces.bytes) + ", strides " +
                 std::to_string(pieces.source_stride) + " and " + std::to_string(pieces.target_stride) + ", " +
                 std::to_string(place.away) + " bytes from the " + (place.from_the_end ? "end" : "front"));
    const Side source(source_, pieces.bytes, pieces.source_stride, pieces.count, place);
    const Side target(target_, pieces.bytes, pieces.target_stride, pieces.count, place);
    const std::span<std::byte> written = target.surroundings();
    std::memset(written.data(), 0xee, written.size());  // and not an algorithm, which is slow without optimization
    expected_.assign(written.begin(), written.end());
    std::byte* to = expected_.data() + (target.data() - written.data());
    for (std::int64_t i = 0; i < pieces.count; ++i) {
      std::memcpy(to + i * pieces.target_stride, source.data() + i * pieces.source_stride,
                  static_cast<std::size_t>(pieces.bytes));
    }
    kernels.copy(
        {target.data(), pieces.target_stride, source.data(), pieces.source_stride, pieces.bytes, pieces.count});
    ASSERT_EQ(std::memcmp(written.data(), expected_.data(), written.size()), 0);
  }

  /// A list of pieces of these lengths, some bytes apart.
  void expect_listed(const CopyKernels& kernels, std::span<const std::int64_t> lengths, Place place) {
    SCOPED_TRACE(std::to_string(lengths.size()) + " pieces from " + std::to_string(lengths.front()) + " to " +
                 std::to_string(lengths.back()) + (place.from_the_end ? ", at the end" : ", at the front"));
    std::vector<Piece> pieces;
    std::int64_t source = 0;
    std::int64_t target = 0;
    for (const std::int64_t bytes : lengths) {
      pieces.push_back({source, target, bytes});
      const auto i = std::ssize(pieces);
      source += bytes + 1 + i * i % 5;
      target += bytes + i * i % 7;
    }
    const std::int64_t source_end = pieces.back().source + lengths.back();
    const std::int64_t target_end = pieces.back().target + lengths.back();
    const auto start = [&](std::span<std::byte> memory, std::int64_t end) {
      return memory.data() + (place.from_the_end ? std::ssize(memory) - place.away - end : place.away);
    };
    const std::byte* from = start(source_.memory(), source_end);
    std::byte* to = start(target_.memory(), target_end);
    std::memset(target_.memory().data(), 0xee, target_.memory().size());
    expected_.assign(target_.memory().begin(), target_.memory().end());
    std::byte* expected = expected_.data() + (to - target_.memory().data());
    CopyProgram program;
    for (const Piece& piece : pieces) {
      program.append(piece.source, piece.target, piece.bytes);
      std::memcpy(expected + piece.target, from + piece.source, static_cast<std::size_t>(piece.bytes));
    }
    program.finish();
    ASSERT_EQ(program.runs().front().body, kListed);
    ASSERT_EQ(program.runs().front().count, pieces.size());
    kernels.listed(ListedPieces(program.runs()), from, to);
    ASSERT_EQ(std::memcmp(target_.memory().data(), expected_.data(), expected_.size()), 0);
  }

 private:
  struct Piece {
    std::int64_t source;
    std::int64_t target;
    std::int64_t bytes;
  };

  FencedPages source_;
  FencedPages target_;
  std::vector<std::byte> expected_;
};

/// The kernels of one instruction set, by name.
class CopyKernelsOf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto available = available_copy_kernels();
    const auto found =
        std::ranges::find(available, std::string(GetParam()), [](const CopyKernels& it) { return it.name; });
    if (found == available.end()) GTEST_SKIP() << "this processor has no " << GetParam();
    kernels = *found;
  }
  CopyKernels kernels{};
};

TEST_P(CopyKernelsOf, CopyEveryLengthAndStride) {
  Memory memory(std::int64_t{1} << 20);
  for (const std::int64_t bytes : {1,  2,   3,   4,   5,   8,   12,  16,  23,  24,  31,  32,   33,   48,   63,  64,
                                   65, 100, 128, 191, 192, 193, 255, 256, 257, 320, 512, 1000, 4095, 4096, 5000}) {
    for (const Place place : {kAtTheFront, Place{1, false}, Place{8, false}, kAtTheEnd}) {
      for (const std::int64_t gap : {0, 1, 2, 3, 5, 8, 40, 1000}) {
        for (const std::int64_t count : {1, 2, 7, 8, 9, 63, 64, 65, 150}) {
          if (bytes > 300 && count > 65) continue;
          memory.expect_copied(kernels, {bytes, bytes + gap, bytes, count}, place);
          memory.expect_copied(kernels, {bytes, bytes, bytes + gap, count}, place);
          memory.expect_copied(kernels, {bytes, bytes + gap, bytes + 2 * gap, count}, place);
          if (HasFatalFailure()) return;
        }
      }
      memory.expect_copied(kernels, {bytes, -bytes - 9, bytes, 70}, place);
      memory.expect_copied(kernels, {bytes, bytes, -bytes - 9, 70}, place);
      memory.expect_copied(kernels, {bytes, 0, bytes, 70}, place);
      if (HasFatalFailure()) return;
    }
  }
}

/// Lengths that kernels of their own copy, every one: what is left over at the end of a piece differs with each.
TEST_P(CopyKernelsOf, TouchNothingBeyondTheirPieces) {
  Memory memory(std::int64_t{1} << 18);
  std::vector<std::int64_t> lengths{1, 2, 4, 8, 16};
  for (std::int64_t bytes = 24; bytes <= 64; ++bytes) lengths.push_back(bytes);
  for (std::int64_t bytes = 192; bytes <= 320; ++bytes) lengths.push_back(bytes);
  for (const std::int64_t bytes : lengths) {
    for (const Place place : {kAtTheFront, kAtTheEnd}) {
      for (std::int64_t gap = 0; gap <= 9; ++gap) {
        for (const std::int64_t count : {1, 2, 3, 8, 33, 66, 67, 131}) {
          if (bytes > 16 && (gap % 4 != 1 || count > 33)) continue;
          memory.expect_copied(kernels, {bytes, bytes + gap, bytes, count}, place);
          memory.expect_copied(kernels, {bytes, bytes, bytes + gap, count}, place);
          memory.expect_copied(kernels, {bytes, bytes + gap, bytes + 1, count}, place);
          memory.expect_copied(kernels, {bytes, -bytes - gap, bytes, count}, place);
          memory.expect_copied(kernels, {bytes, bytes, -bytes - gap, count}, place);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// The last piece of each length once next to a page that may not be touched.
TEST_P(CopyKernelsOf, CopyLists) {
  Memory memory(std::int64_t{1} << 14);
  for (std::int64_t bytes = 1; bytes <= 200; ++bytes) {
    for (const Place place : {kAtTheFront, Place{1, false}, kAtTheEnd}) {
      memory.expect_listed(kernels, std::vector<std::int64_t>(7, bytes), place);
      std::vector<std::int64_t> lengths{bytes};
      for (std::int64_t i = 0; i < 40; ++i) lengths.push_back(1 + i * 37 % 71);
      lengths.push_back(bytes);
      memory.expect_listed(kernels, lengths, place);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(CopyKernelsOf, CopyLongLists) {
  Memory memory(std::int64_t{1} << 20);
  for (const std::int64_t longest : {40, 71}) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t sum = 0; sum < std::int64_t{1} << 19; sum += lengths.back())
      lengths.push_back(1 + std::ssize(lengths) * 37 % longest);
    for (const Place place : {kAtTheFront, kAtTheEnd}) memory.expect_listed(kernels, lengths, place);
  }
}

TEST_P(CopyKernelsOf, CopyWhatNoCacheHolds) {
  constexpr std::int64_t kBytes = std::int64_t{33} << 20;
  Memory memory(2 * kBytes + 4096);
  memory.expect_copied(kernels, {8, 16, 8, kBytes / 8}, kAtTheFront);
  memory.expect_copied(kernels, {8, 16, 8, kBytes / 8}, Place{24, false});
  memory.expect_copied(kernels, {8, 16, 8, kBytes / 8 + 3}, kAtTheEnd);
  memory.expect_copied(kernels, {256, 320, 256, kBytes / 256}, Place{8, false});
  memory.expect_copied(kernels, {201, 210, 201, kBytes / 201}, kAtTheEnd);
  memory.expect_copied(kernels, {200, 200, 264, kBytes / 200}, kAtTheFront);
  memory.expect_copied(kernels, {10000, 10008, 10000, kBytes / 10000}, Place{1, true});
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, CopyKernelsOf, testing::Values("plain", "AVX2", "AVX-512"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(CopyKernels, ThePlainOnesAreAlwaysThere) {
  const auto available = available_copy_kernels();
  ASSERT_FALSE(available.empty());
  EXPECT_STREQ(available.front().name, "plain");
  std::string names;
  for (const CopyKernels& kernels : available) names += std::string(names.empty() ? "" : ", ") + kernels.name;
  RecordProperty("instruction_sets", names);
}

}  // namespace
}  // namespace rondo::internal::copy_kernels_test
