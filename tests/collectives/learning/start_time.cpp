#include "collectives/learning/start_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace rondo::internal::learning::start_time_test {
namespace {

constexpr std::chrono::milliseconds kPause(3);
constexpr std::int64_t kPauseTakes = std::chrono::nanoseconds(kPause).count();

void pause() { std::this_thread::sleep_for(kPause); }

/// What a start took, and all that this function took.
struct Took {
  std::int64_t told;
  std::int64_t all;
};

/// One with pauses in the start, between the start and the wait, and in the wait.
Took one(StartTime& time, bool waits = true) {
  const auto begin = std::chrono::steady_clock::now();
  time.begin();
  pause();
  time.is_begun();
  pause();
  if (waits) time.is_waited_for();
  pause();
  const std::int64_t told = time.took();
  return {told, std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count()};
}

TEST(StartTime, IsThatInWhichTheUserCanDoNothingElse) {
  StartTime time;
  for (int start = 0; start < 2; ++start) {
    const Took took = one(time);
    EXPECT_GE(took.told, 2 * kPauseTakes);
    EXPECT_LE(took.told, took.all - kPauseTakes + took.all / 100) << "of two clocks";
  }
}

TEST(StartTime, IsAllOfItWhereThatCounts) {
  StartTime time(Timed::all);
  for (int start = 0; start < 2; ++start) {
    const Took took = one(time);
    EXPECT_GE(took.told, 3 * kPauseTakes);
    EXPECT_LE(took.told, took.all + took.all / 100) << "of two clocks";
  }
}

/// As where a callback tells that it is over.
TEST(StartTime, IsAllOfItWhereNobodyWaits) {
  for (const Timed timed : {Timed::waits, Timed::all}) {
    StartTime time(timed);
    EXPECT_GE(one(time, false).told, 3 * kPauseTakes);
  }
}

}  // namespace
}  // namespace rondo::internal::learning::start_time_test
