#include "collectives/measured_times.hpp"

#include <gtest/gtest.h>

#include "collectives/dense_algorithms.hpp"

namespace rondo {
namespace {

TEST(MeasuredTimes, AreStraightOnLogarithmicScales) {
  MeasuredTimes times;
  times.add("direct", 64, 400);
  times.add("direct", 4, 100);
  EXPECT_EQ(times.nanoseconds("direct", 4), 100);
  EXPECT_EQ(times.nanoseconds("direct", 64), 400);
  EXPECT_NEAR(times.nanoseconds("direct", 16).value_or(0), 200, 1e-9);
  EXPECT_EQ(times.nanoseconds("direct", 1), 100) << "no faster";
  EXPECT_EQ(times.nanoseconds("direct", 128), 800) << "as much slower as it is longer";
  EXPECT_FALSE(times.nanoseconds("bruck, radix 2", 4).has_value());
}

/// What was measured counts, and nothing that was not is compared with it.
TEST(MeasuredTimes, DecideWhereThereAreAny) {
  const CostModel costs(8.0);
  const Layout block = Layout::contiguous(64);
  std::vector<BlockShape> shapes;
  for (int j = 0; j < 16; ++j) shapes.push_back({64 * j, &block});
  DenseProblem problem{3, 16, shapes, shapes, true, costs, 64, 64};
  MeasuredTimes times;
  times.add("direct", 64, 900);
  times.add("bruck, radix 2", 64, 500);
  times.add("bruck, radix 4", 64, 700);
  problem.measured = &times;
  const Chosen chosen = choose_dense(problem, "auto", Ordering::dependencies);
  EXPECT_EQ(chosen.algorithm, "bruck, radix 2");
  ASSERT_EQ(chosen.candidates.size(), 3U);
  EXPECT_EQ(chosen.candidates.front().prediction.nanoseconds, 500);
  EXPECT_EQ(choose_dense(problem, "pairwise", Ordering::dependencies).algorithm, "pairwise");
  problem.smallest = 32;
  EXPECT_GT(choose_dense(problem, "auto", Ordering::dependencies).candidates.front().prediction.nanoseconds, 900)
      << "sizes differ: the model's";
}

}  // namespace
}  // namespace rondo
