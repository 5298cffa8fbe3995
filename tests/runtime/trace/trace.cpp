#include "runtime/trace/trace.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>

#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::trace_test {
namespace {

TraceEvent mark(std::uint64_t detail) {
  return {.begin = 0,
          .end = 0,
          .detail = detail,
          .operation = 0,
          .task = kNoTask,
          .peer = -1,
          .round = 0,
          .thread = this_thread_for_trace(),
          .phase = 0,
          .kind = TraceKind::mark,
          .task_kind = TaskKind::join};
}

std::vector<std::uint64_t> details(const TraceRing& ring) {
  std::vector<std::uint64_t> found;
  static_cast<void>(ring.for_each([&](const TraceEvent& event) { found.push_back(event.detail); }));
  return found;
}

TEST(TraceRing, KeepsTheLastAndCountsTheLost) {
  TraceRing ring(8);
  EXPECT_TRUE(details(ring).empty());
  for (std::uint64_t i = 0; i < 21; ++i) {
    ring.add(mark(i));
    const std::uint64_t kept = std::min<std::uint64_t>(i + 1, 7);
    const auto found = details(ring);
    ASSERT_EQ(found.size(), kept);
    ASSERT_EQ(ring.for_each([](const TraceEvent&) {}), i + 1 - kept);
    ASSERT_EQ(found.front(), i + 1 - kept) << "the oldest";
    ASSERT_EQ(found.back(), i) << "the latest";
  }
}

/// `count` threads that are all alive at once, so that each has a number of its own, do `body(thread)`.
template <typename Body>
void run_threads(std::uint64_t count, Body body) {
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> begun = 0;
  std::atomic<std::uint64_t> done = 0;
  for (std::uint64_t thread = 0; thread < count; ++thread) {
    threads.emplace_back([&, thread] {
      ++begun;
      while (begun < count) std::this_thread::yield();
      body(thread);
      ++done;
      while (done < count) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Trace, ThreadsAddAtOnceAndAreToldApart) {
  constexpr std::uint64_t kThreads = 5;
  constexpr std::uint64_t kEach = 1000;
  Trace trace(8 * 1024);
  run_threads(kThreads, [&](std::uint64_t thread) {
    for (std::uint64_t i = 0; i < kEach; ++i) {
      trace.add_from_anywhere(mark(thread * kEach + i));
      static_cast<void>(trace.add_operation(std::to_string(i % 10)));
    }
  });
  std::set<std::uint64_t> seen;
  std::set<std::uint32_t> of_threads;
  trace.of_threads().for_each([&](const TraceRing& ring) {
    std::set<std::uint32_t> of_ring;
    EXPECT_EQ(ring.for_each([&](const TraceEvent& event) {
      seen.insert(event.detail);
      of_ring.insert(event.thread);
    }),
              0U);
    EXPECT_EQ(of_ring.size(), 1U);
    of_threads.insert(*of_ring.begin());
  });
  EXPECT_EQ(seen.size(), kThreads * kEach);
  EXPECT_EQ(of_threads.size(), kThreads);
  EXPECT_EQ(trace.of_threads().refused(), 0U);
}

TEST(Trace, MoreThreadsThanThereIsRoomForAreCounted) {
  constexpr std::uint64_t kTooMany = 3;
  Trace trace(8);
  run_threads(ThreadRings::kMostThreads + kTooMany,
              [&](std::uint64_t thread) { trace.add_from_anywhere(mark(thread)); });
  std::size_t rings = 0;
  trace.of_threads().for_each([&](const TraceRing&) { ++rings; });
  EXPECT_EQ(rings, ThreadRings::kMostThreads);
  EXPECT_EQ(trace.of_threads().refused(), kTooMany);
}

TEST(Trace, KnowsTitlesWhenTheOperationsAreGone) {
  Trace trace(4);
  std::vector<std::uint32_t> numbers;
  for (const char* title : {"one", "other", "one"}) numbers.push_back(trace.add_operation(title));
  EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), 3U);
  EXPECT_EQ(trace.title(numbers[0]), "one");
  EXPECT_EQ(trace.title(numbers[1]), "other");
  EXPECT_EQ(trace.title(numbers[2]), "one");
}

/// Ticks become the time of day that the host's clock shows, between two readings of it.
TEST(Trace, TicksAreMonotonicTime) {
  const Trace trace(4);
  for (int i = 0; i < 100; ++i) {
    const std::int64_t before = monotonic_nanoseconds();
    const std::uint64_t ticks = trace.now();
    const std::int64_t after = monotonic_nanoseconds();
    const std::int64_t told = trace.time().nanoseconds(ticks);
    // Each of the two readings that the line goes through may be off by the time it took.
    const std::int64_t slack = 10 * (after - before) + 100'000;
    EXPECT_GE(told, before - slack);
    EXPECT_LE(told, after + slack);
  }
}

class TraceEnvironment : public ::testing::Test {
 protected:
  ~TraceEnvironment() override {
    unsetenv("RONDO_TRACE");
    unsetenv("RONDO_TRACE_EVENTS");
  }
};

TEST_F(TraceEnvironment, OffUnlessAskedFor) {
  setenv("RONDO_TRACE_EVENTS", "many", 1);  // of no interest then
  for (const char* path : {static_cast<const char*>(nullptr), ""}) {
    if (path != nullptr) setenv("RONDO_TRACE", path, 1);
    EXPECT_EQ(Trace::from_environment(), nullptr);
    EXPECT_NO_THROW(Trace::check_environment());
  }
}

TEST_F(TraceEnvironment, NumberOfEvents) {
  setenv("RONDO_TRACE", "file.json", 1);
  setenv("RONDO_TRACE_EVENTS", "5", 1);
  const auto trace = Trace::from_environment();
  ASSERT_NE(trace, nullptr);
  for (std::uint64_t i = 0; i < 20; ++i) trace->add(mark(i));
  EXPECT_EQ(details(trace->of_driver()).size(), 7U) << "rounded up to 8, less the one that may be being overwritten";
  for (const char* bad : {"0", "-1", "many", "5k", "268435457", "1e3"}) {
    setenv("RONDO_TRACE_EVENTS", bad, 1);
    EXPECT_EQ(Trace::from_environment(), nullptr);
    try {
      Trace::check_environment();
      ADD_FAILURE() << bad << " is accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_INFO_VALUE);
      const std::string text = error.what();
      EXPECT_NE(text.find(std::string("RONDO_TRACE_EVENTS: is ") + bad + ", must be"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::trace_test
