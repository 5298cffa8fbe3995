// The benchmarks' confidence intervals: against what can be computed exactly, and how often they hold what they should.
#include "bench/common/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace bench {
namespace {

TEST(Bootstrap, Medians) {
  EXPECT_EQ(median(std::vector{3.0}), 3.0);
  EXPECT_EQ(median(std::vector{5.0, 1.0, 3.0}), 3.0);
  EXPECT_EQ(median(std::vector{8.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Bootstrap, WithoutSamplesThereIsNoFigure) {
  const Estimate none = bootstrap_median({});
  EXPECT_TRUE(std::isnan(none.value));
  EXPECT_TRUE(std::isnan(none.lower));
  EXPECT_TRUE(std::isnan(none.upper));
}

TEST(Bootstrap, WhatDoesNotVaryIsCertain) {
  const Estimate sure = bootstrap_median(std::vector<double>(20, 4.5));
  EXPECT_EQ(sure.value, 4.5);
  EXPECT_EQ(sure.lower, 4.5);
  EXPECT_EQ(sure.upper, 4.5);
  EXPECT_EQ(sure.spread(), 0.0);
}

/// Of three samples the median of a resample is the least with probability 7/27, the middle one with 13/27.
TEST(Bootstrap, IntervalsAreQuantilesOfResamples) {
  const std::vector<double> samples{20.0, 10.0, 30.0};
  const auto interval = [&](double confidence) {
    return bootstrap_median(samples, {.confidence = confidence, .times = 20000});
  };
  EXPECT_EQ(interval(0.95).value, 20.0);
  EXPECT_EQ(interval(0.95).lower, 10.0);
  EXPECT_EQ(interval(0.95).upper, 30.0);
  EXPECT_EQ(interval(0.52).lower, 10.0);  // up to 1 - 14/27 = 0.481 outside
  EXPECT_EQ(interval(0.52).upper, 30.0);
  EXPECT_EQ(interval(0.44).lower, 20.0);
  EXPECT_EQ(interval(0.44).upper, 20.0);
}

TEST(Bootstrap, ASeedGivesTheSameIntervals) {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> draw(1.0);
  std::vector<double> samples;
  for (int i = 0; i < 50; ++i) samples.push_back(draw(random));
  const Estimate once = bootstrap_median(samples, {.seed = 7});
  const Estimate again = bootstrap_median(samples, {.seed = 7});
  EXPECT_EQ(once.lower, again.lower);
  EXPECT_EQ(once.upper, again.upper);
}

/// Nineteen of twenty intervals hold the true median, of a skewed distribution too: ln 2 of the exponential one.
TEST(Bootstrap, HoldsTheTrueMedianAsOftenAsItSays) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> draw(1.0);
  constexpr int kTrials = 1000;
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples;
    for (int i = 0; i < 50; ++i) samples.push_back(draw(random));
    const Estimate found = bootstrap_median(samples, {.times = 500, .seed = static_cast<std::uint64_t>(trial)});
    EXPECT_LE(found.lower, found.value);
    EXPECT_LE(found.value, found.upper);
    if (found.lower <= std::log(2.0) && std::log(2.0) <= found.upper) ++held;
  }
  EXPECT_GT(held, kTrials * 92 / 100);
  EXPECT_LT(held, kTrials * 98 / 100);
}

/// What both share, a machine that is slow for a while, does not count: samples are drawn in pairs.
TEST(Bootstrap, RatiosAreOfPairs) {
  std::vector<double> of;
  std::vector<double> by;
  for (int i = 0; i < 50; ++i) {
    const double pace = i % 7 == 0 ? 10.0 : 1.0 + 0.01 * i;
    of.push_back(3.0 * pace);
    by.push_back(2.0 * pace);
  }
  const Estimate ratio = bootstrap_ratio(of, by);
  EXPECT_DOUBLE_EQ(ratio.value, 1.5);
  EXPECT_DOUBLE_EQ(ratio.lower, 1.5);
  EXPECT_DOUBLE_EQ(ratio.upper, 1.5);
  by.back() = 100.0;
  EXPECT_GT(bootstrap_ratio(of, by).spread(), 0.0);
}

}  // namespace
}  // namespace bench
