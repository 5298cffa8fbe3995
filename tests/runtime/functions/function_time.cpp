#include "runtime/functions/function_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace rondo::internal::function_time_test {
namespace {

void spin(std::int64_t nanoseconds) {
  const std::int64_t until = monotonic_nanoseconds() + nanoseconds;
  while (monotonic_nanoseconds() < until) {
  }
}

/// Functions until the time is over, each of which takes so long.
int functions_until_over(FunctionTime& time, std::int64_t nanoseconds) {
  time.begin();
  for (int count = 1;; ++count) {
    spin(nanoseconds);
    if (time.is_over()) return count;
  }
}

constexpr std::int64_t kLong = 20 * FunctionTime::kLongest;

TEST(FunctionTime, IsOverAfterOneLongFunction) {
  FunctionTime time;
  for (int turn = 0; turn < 5; ++turn) EXPECT_EQ(functions_until_over(time, kLong), 1) << turn;
}

/// Where it was not read for a while.
TEST(FunctionTime, IsOverSoonAfterShortOnes) {
  FunctionTime time;
  for (int turn = 0; turn < 5; ++turn) {
    time.begin();
    for (int i = 0; i < 10; ++i) static_cast<void>(time.is_over());
    int count = 1;
    for (spin(kLong); !time.is_over(); spin(kLong)) ++count;
    EXPECT_LE(count, static_cast<int>(FunctionTime::kMostUnread));
  }
}

/// 20 of a tenth, or fewer where something else runs meanwhile; not each with a look at messages.
TEST(FunctionTime, LetsSeveralShortOnesRun) {
  FunctionTime time;
  int most = 0;
  for (int turn = 0; turn < 20; ++turn) most = std::max(most, functions_until_over(time, FunctionTime::kLongest / 20));
  EXPECT_GE(most, 5);
  EXPECT_LE(most, 40);
}

}  // namespace
}  // namespace rondo::internal::function_time_test
