#include "runtime/engine/poller.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/engine/engine.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "tests/support/round_trips.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::poller_test {
namespace {

/// An engine with a poller, over a network of one rank.
class PollerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
      others_.insert(thread.path().filename());
  }
  static void give_poller(Engine& engine) {
    engine.set_waiting({.surroundings = {.thread_level = MPI_THREAD_MULTIPLE, .cores = 2, .ranks_on_node = 1}});
    ASSERT_EQ(engine.provide(ProgressMode::async), ProgressMode::async);
  }
  void SetUp() override { give_poller(engine_); }
  [[nodiscard]] std::unique_ptr<Execution> execution(int number = 0, bool in_background = true) {
    const Engine::TokenScope turn(engine_);
    auto made = std::make_unique<Execution>(schedule_, network_.transport(0), MPI_COMM_NULL, number * kHops);
    made->set_in_background(in_background);
    return made;
  }
  /// Looks without making progress.
  static void watch_until_complete(const Execution& execution) {
    while (execution.active()) std::this_thread::yield();
  }
  void start_and_watch(Execution& execution, PollerCare care = PollerCare::now) {
    const std::int64_t send = ++sent_;
    std::int64_t recv = 0;
    execution.bind(&send, &recv);
    engine_.start(execution, care);
    watch_until_complete(execution);
    EXPECT_EQ(recv, send);
  }
  void wait_until_parked() {
    while (!engine_.poller_parked()) std::this_thread::yield();
  }

  LoopbackNetwork network_{1, 17};
  Engine engine_{network_.transport(0)};
  std::shared_ptr<const Schedule> schedule_ = round_trips(kHops);
  std::int64_t sent_ = 0;
  static constexpr int kHops = 5;
  static inline std::set<std::string> others_{};  ///< threads that were there before the first poller
};

TEST_F(PollerTest, OperationsAdvanceBySeveralRoundsWithoutTheirThread) {
  const auto one = execution();
  for (int repetition = 0; repetition < 20; ++repetition) start_and_watch(*one);
}

TEST_F(PollerTest, LooksSoonAfterWhatIsUsuallyWaitedFor) {
  const auto one = execution();
  enum class Before { parked, awake, lingering };
  for (const Before before : {Before::parked, Before::awake, Before::lingering, Before::parked, Before::awake}) {
    if (before == Before::parked) wait_until_parked();
    if (before == Before::lingering) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    start_and_watch(*one, PollerCare::soon);
  }
}

TEST_F(PollerTest, LooksOnlyWhenItIsTold) {
  const auto one = execution();
  const std::int64_t send = 1;
  std::int64_t recv = 0;
  one->bind(&send, &recv);
  wait_until_parked();
  engine_.start(*one);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_TRUE(one->active());
  engine_.wake_poller();
  watch_until_complete(*one);
  EXPECT_EQ(recv, send);
}

/// Though it is awake when they are started: they would keep it so for good.
TEST_F(PollerTest, LeavesOperationsAloneThatAreNotInTheBackground) {
  const auto one = execution();
  const auto other = execution(1, false);
  const std::int64_t send = 29;
  std::int64_t recv = 0;
  other->bind(&send, &recv);
  start_and_watch(*one);
  engine_.start(*other);
  wait_until_parked();
  EXPECT_TRUE(other->active());
  engine_.wait(*other);
  EXPECT_EQ(recv, send);
}

/// The thread that waits is kept in a callback until another operation, of several rounds, is complete.
TEST_F(PollerTest, GoesOnWhileTheWaitingThreadIsInACallback) {
  struct ExchangeMeanwhile final : Continuation {
    explicit ExchangeMeanwhile(std::function<void()> exchange_other) : exchange(std::move(exchange_other)) {}
    void run() noexcept override { exchange(); }
    std::function<void()> exchange;
  };
  const auto one = execution();
  const auto other = execution(1);
  const std::int64_t send = 17;
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::int64_t recv = 0;
    one->bind(&send, &recv);
    ExchangeMeanwhile meanwhile([&] { start_and_watch(*other); });
    wait_until_parked();  // or it might run the callback
    {
      const Engine::TokenScope turn(engine_);
      one->announce();
      one->start();
      EXPECT_TRUE(engine_.when_complete(*one, meanwhile));
    }
    engine_.wait(*one);
    EXPECT_EQ(recv, send);
  }
}

TEST_F(PollerTest, GoesOnWhileTheApplicationHoldsAllWorkers) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer cannot see how oneTBB hands over the parts of a parallel_for";
#endif
  const auto one = execution();
  const std::int64_t send = 5;
  std::int64_t recv = 0;
  one->bind(&send, &recv);
  const int tasks = 4 * ::tbb::info::default_concurrency();
  std::atomic<bool> started = false;
  ::tbb::parallel_for(0, tasks, [&](int) {
    if (!started.exchange(true)) engine_.start(*one, PollerCare::now);
    watch_until_complete(*one);
  });
  EXPECT_EQ(recv, send);
}

/// Of all threads but those of MPI and of a sanitizer, which were there before.
long voluntary_switches(const std::set<std::string>& others) {
  long sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (others.contains(thread.path().filename())) continue;
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("voluntary_ctxt_switches:")) sum += std::stol(line.substr(line.find(':') + 1));
    }
  }
  return sum;
}

TEST_F(PollerTest, IdleTakesNoTimeAtAll) {
  const auto one = execution();
  start_and_watch(*one);
  // It parks soon, and oneTBB's worker falls asleep; how soon, is no matter.
  long before = voluntary_switches(others_);
  EXPECT_GT(before, 0) << "of the poller's thread";
  for (int attempt = 0; attempt < 60; ++attempt) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const long now = voluntary_switches(others_);
    if (std::exchange(before, now) == now) break;
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(voluntary_switches(others_), before);
  start_and_watch(*one);
}

/// Waits that are long enough for it to linger, or to park, and such that are not.
TEST_F(PollerTest, WakesWheneverItIsNeeded) {
  const auto one = execution();
  for (int repetition = 0; repetition < 60; ++repetition) {
    start_and_watch(*one);
    std::this_thread::sleep_for(std::chrono::microseconds(repetition * repetition * 10));
  }
  for (int repetition = 0; repetition < 10; ++repetition) {
    start_and_watch(*one);
    std::this_thread::sleep_for(std::chrono::milliseconds(256 + repetition));
  }
}

/// A preparation may take longer than the poller lingers, with no message in flight: one rank is late, say.
TEST_F(PollerTest, StaysWithWhatIsPreparedHoweverLongItTakes) {
  using Clock = std::chrono::steady_clock;
  struct Late final : Preparation {
    [[nodiscard]] bool advance() noexcept override {
      if (Clock::now() < due) return false;
      over = true;
      return true;
    }
    void give_up(const std::string& /*why*/) override { over = true; }
    [[nodiscard]] const char* name() const noexcept override { return "late"; }
    Clock::time_point due = Clock::now() + std::chrono::milliseconds(600);
    std::atomic<bool> over = false;
  };
  Late late;
  engine_.look_after(late, PollerCare::now);
  while (!late.over) std::this_thread::yield();
  start_and_watch(*execution());
}

/// Where a wake-up is most easily lost: nothing was found, and that it has parked is not yet to be seen.
TEST_F(PollerTest, SeesWhatIsStartedOnItsWayToPark) {
  static std::atomic<bool> reached;
  static Engine* engine;
  static Execution* late;
  const auto one = execution();
  const auto other = execution(1);
  reached = false;
  engine = &engine_;
  late = other.get();
  const std::int64_t send = 23;
  std::int64_t recv = 0;
  late->bind(&send, &recv);
  start_and_watch(*one);
  Poller::on_the_way_to_park = [] {
    Poller::on_the_way_to_park = nullptr;
    engine->start(*late, PollerCare::now);
    reached = true;
  };
  while (!reached) std::this_thread::yield();
  watch_until_complete(*late);
  EXPECT_EQ(recv, send);
}

TEST_F(PollerTest, StopsWhereverItIs) {
  for (const int milliseconds : {0, 30, 400}) {
    LoopbackNetwork network{1, 17};
    Engine engine{network.transport(0)};
    give_poller(engine);
    engine.wake_poller();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    engine.shut_down();
  }
}

TEST_F(PollerTest, AThreadThatWaitsDrives) {
  const auto one = execution();
  for (int repetition = 0; repetition < 200; ++repetition) {
    const std::int64_t send = repetition;
    std::int64_t recv = -1;
    one->bind(&send, &recv);
    engine_.start(*one, static_cast<PollerCare>(repetition % 3));
    engine_.wait(*one);
    EXPECT_EQ(recv, send);
  }
}

TEST_F(PollerTest, AfterTheEndNothingAdvancesByItself) {
  const auto one = execution();
  start_and_watch(*one);
  engine_.shut_down();
  const std::int64_t send = 1;
  std::int64_t recv = 0;
  one->bind(&send, &recv);
  engine_.start(*one, PollerCare::now);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(one->active()) << "several rounds cannot be over without a pass";
  engine_.wait(*one);
  EXPECT_EQ(recv, send);
}

/// A child of a fork has no workers; it can leave all the same.
TEST_F(PollerTest, AChildOfAForkLeavesNormally) {
  const auto one = execution();
  start_and_watch(*one);
  const pid_t child = fork();
  if (child == 0) {
    engine_.shut_down();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  start_and_watch(*one);
}

/// Threads that start, wait, test and look on, all at once.
TEST_F(PollerTest, ManyThreadsAndThousandsOfOperations) {
  constexpr int kThreads = 8;
  constexpr int kRepetitions = 500;
  std::vector<std::unique_ptr<Execution>> executions;
  for (int thread = 0; thread < kThreads; ++thread) executions.push_back(execution(thread));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Execution& mine = *executions[static_cast<std::size_t>(thread)];
      for (int repetition = 0; repetition < kRepetitions; ++repetition) {
        const std::int64_t send = thread * 10000 + repetition;
        std::int64_t recv = -1;
        mine.bind(&send, &recv);
        const int way = (thread + repetition) % 4;
        engine_.start(mine, way != 3 ? PollerCare::now : PollerCare::soon);
        if (way == 0) {
          while (!engine_.test(mine)) std::this_thread::yield();
        } else if (way == 1) {
          watch_until_complete(mine);
        } else {
          engine_.wait(mine);
        }
        wrong += recv == send ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(network_.unmatched(), 0U);
  EXPECT_EQ(network_.transport(0).in_flight(), 0U);
}

}  // namespace
}  // namespace rondo::internal::poller_test
