#include "collectives/tuning/measured_times.hpp"

#include <gtest/gtest.h>

#include "collectives/dense_alltoall/algorithms.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal::measured_times_test {
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

/// Sixteen ranks with blocks of 64 bytes, and what was measured.
class MeasuredChoice : public ::testing::Test {
 protected:
  MeasuredChoice() {
    for (int j = 0; j < 16; ++j) shapes.push_back({64 * j, &block});
  }
  void measure(double direct, double bruck) {
    times.add("direct", 64, direct);
    times.add("bruck, radix 2", 64, bruck);
    times.add("bruck, radix 4", 64, 2000);
  }
  [[nodiscard]] Chosen choose(std::string_view name, int ports = 0, std::int64_t smallest = 64) const {
    dense::Problem problem{3, 16, shapes, shapes, true, costs, 64, smallest, false, {.ports = ports}};
    problem.measured = &times;
    return dense::choose(problem, name, Ordering::dependencies);
  }
  [[nodiscard]] static double nanoseconds(const Chosen& chosen) {
    return chosen.candidates.front().prediction.nanoseconds;
  }

  CostModel costs{8.0};
  Layout block = Layout::contiguous(64);
  std::vector<BlockShape> shapes;
  MeasuredTimes times;
};

/// Blocks were measured in equal sizes only: for different ones counts the size in the middle.
TEST_F(MeasuredChoice, TakesTheMiddleOfDifferentSizes) {
  times.add("direct", 4, 100);
  times.add("direct", 48, 300);
  times.add("direct", 64, 1000);
  EXPECT_EQ(nanoseconds(choose("direct", 0, 32)), 300);
}

/// What was measured counts, and nothing that was not is compared with it.
TEST_F(MeasuredChoice, DecidesWhereThereAreTimes) {
  measure(900, 500);
  const Chosen chosen = choose("auto");
  EXPECT_EQ(chosen.plan, "bruck, radix 2");
  ASSERT_EQ(chosen.candidates.size(), 3U);
  EXPECT_EQ(nanoseconds(chosen), 500);
  EXPECT_NE(explain(chosen).find("its predicted time is the lowest of"), std::string::npos) << explain(chosen);
  EXPECT_EQ(choose("pairwise").algorithm, "pairwise");
}

TEST_F(MeasuredChoice, IsTheModelsWhereNothingOfTheKindWasMeasured) {
  measure(1, 2);
  const Chosen limited = choose("auto", 3);
  EXPECT_GT(nanoseconds(limited), 2) << "ports were not limited";
  EXPECT_GT(limited.candidates.size(), 3U);
}

TEST_F(MeasuredChoice, PrefersDirectUnlessAnotherIsFasterByATenth) {
  measure(1000, 905);
  const Chosen chosen = choose("auto");
  EXPECT_EQ(chosen.algorithm, "direct");
  EXPECT_EQ(nanoseconds(chosen), 1000) << "as it was measured";
  ASSERT_EQ(chosen.candidates.size(), 3U);
  EXPECT_EQ(chosen.candidates[1].prediction.nanoseconds, 905);
  EXPECT_NE(explain(chosen).find("direct was chosen because it is preferred unless another"), std::string::npos);
  EXPECT_NE(explain(chosen).find("is predicted to take 10% less"), std::string::npos) << explain(chosen);
}

TEST_F(MeasuredChoice, SaysNothingOfAPreferenceThatDidNotMatter) {
  measure(900, 1000);
  EXPECT_EQ(choose("auto").algorithm, "direct");
  EXPECT_NE(explain(choose("auto")).find("its predicted time is the lowest of"), std::string::npos);
}

TEST_F(MeasuredChoice, TakesWhatIsFasterByMore) {
  measure(1000, 895);
  EXPECT_EQ(choose("auto").plan, "bruck, radix 2");
}

}  // namespace
}  // namespace rondo::internal::measured_times_test
