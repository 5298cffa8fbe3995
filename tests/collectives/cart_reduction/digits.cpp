#include "collectives/cart_reduction/digits.hpp"

#include <gtest/gtest.h>

#include "collectives/cart_reduction/tree.hpp"
#include "tests/support/cases/simulation.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace rondo::internal::reduction::digits_test {
namespace {

struct OnALine {
  OnALine(int size, bool ring, std::span<const int> offsets) : grid(std::vector{size}, std::vector{ring ? 1 : 0}, 0) {
    for (const int offset : offsets) residues.push_back(grid.residue(0, offset));
    stages = stages_of_digits(grid, along_dimension(grid, 0, residues));
  }
  [[nodiscard]] std::int64_t volume() const { return Tree({"digits", 1, stages}, Kind::reduce).volume(); }

  Grid grid;
  std::vector<int> residues;
  std::vector<ExpansionStage> stages;
};

std::vector<int> range(int first, int last) {
  std::vector<int> all;
  for (int offset = first; offset <= last; ++offset) all.push_back(offset);
  return all;
}

TEST(ReductionDigits, AddUpAndDoNotTurnBack) {
  for (const std::uint64_t seed : seeds(1000)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const bool ring = draw(0, 1) == 1;
    const int size = draw(0, 20) == 0 ? INT32_MAX : draw(2, 60);
    std::vector<int> offsets;
    for (int i = draw(1, 30); i > 0; --i) offsets.push_back(ring ? draw(-100, 100) : draw(-size + 1, size - 1));
    const int dilution = draw(1, 3);
    for (int& offset : offsets) offset -= offset % dilution;
    if (std::ranges::all_of(offsets, [&](int offset) { return offset % size == 0; })) continue;
    const OnALine line(size, ring, offsets);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      std::int64_t sum = 0;
      for (const ExpansionStage& stage : line.stages) {
        const StepId step = stage.step_of[i];
        if (step == kStays) continue;
        ASSERT_NE(stage.steps[step], 0);
        if (!ring) {
          EXPECT_EQ(stage.steps[step] > 0, offsets[i] > 0) << "RONDO_SEED=" << seed;
        }
        sum += stage.steps[step];
      }
      EXPECT_EQ(((sum - offsets[i]) % size + size) % size, 0) << "RONDO_SEED=" << seed;
      if (!ring) {
        EXPECT_EQ(sum, offsets[i]) << "RONDO_SEED=" << seed;
      }
    }
    for (const ExpansionStage& stage : line.stages) {
      EXPECT_TRUE(std::ranges::is_sorted(stage.steps));
      EXPECT_EQ(std::ranges::adjacent_find(stage.steps), stage.steps.end());
    }
    ASSERT_FALSE(HasFailure());
  }
}

/// About log2 n vectors for n offsets in a row.
TEST(ReductionDigits, Volumes) {
  const auto volume = [](int first, int last, bool ring = true) {
    return OnALine(1100, ring, range(first, last)).volume();
  };
  const std::vector<std::int64_t> of_balls{2, 3, 3, 4, 4, 5, 4, 5, 6, 5, 5, 6};
  for (int radius = 1; radius <= 12; ++radius)
    EXPECT_EQ(volume(-radius, radius), of_balls[static_cast<std::size_t>(radius - 1)]) << radius;
  EXPECT_EQ(volume(-500, 500), 13);
  for (int n = 2; n <= 64; ++n) {
    std::int64_t log = 0;
    while (1 << log < n) ++log;
    EXPECT_LE(volume(0, n - 1), log + (n == 3 || n == 5 ? 1 : 0)) << n;
    EXPECT_EQ(volume(1 - n, 0), volume(0, n - 1));
    EXPECT_LE(volume(0, n - 1, false), log + 3) << n;
  }
  EXPECT_EQ(OnALine(16, true, range(0, 15)).volume(), 4) << "all of a ring";
  EXPECT_EQ(OnALine(100, true, std::vector{0, 3, 6, 9, 12, 15, 18, 21}).volume(), 3) << "every third";
  EXPECT_EQ(OnALine(100, true, std::vector{0, 97, 94, 91, 3, 6, 9}).volume(), 3);
  EXPECT_EQ(OnALine(100, false, range(-7, 7)).volume(), 6) << "two sets of digits";
}

}  // namespace
}  // namespace rondo::internal::reduction::digits_test
