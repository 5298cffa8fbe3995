#include "runtime/trace/trace_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace rondo::internal::trace_clock_test {
namespace {

/// Beside the system's clock.
TEST(TraceClock, ATickLastsAsLongAsItIsSaid) {
  const TraceClock clock;
  const double tick = nanoseconds_of_tick();
  EXPECT_EQ(nanoseconds_of_tick(), tick) << "measured once";
  for (int i = 0; i < 3; ++i) {
    const TraceClock::Reading first = clock.read();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const TraceClock::Reading last = clock.read();
    const auto nanoseconds = static_cast<double>(last.nanoseconds - first.nanoseconds);
    EXPECT_NEAR(static_cast<double>(last.ticks - first.ticks) * tick, nanoseconds, nanoseconds / 200);
  }
}

TEST(TraceClock, ItsTimeGoesThroughBothReadings) {
  const TraceTime time({1000, 5000}, {3000, 6000});
  EXPECT_EQ(time.nanoseconds(1000), 5000);
  EXPECT_EQ(time.nanoseconds(2000), 5500);
  EXPECT_EQ(time.nanoseconds(0), 4500);
}

}  // namespace
}  // namespace rondo::internal::trace_clock_test
