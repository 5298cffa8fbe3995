#include "runtime/engine/engine.hpp"

#include <gtest/gtest.h>

#include "runtime/machine/loopback_transport.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/networks/fake_network.hpp"
#include "tests/support/round_trips.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::engine_test {
namespace {

constexpr int kHops = 5;

TEST(Engine, TestAndProgressComplete) {
  LoopbackNetwork network(1, 3);
  Engine engine(network.transport(0));
  Execution execution(round_trips(kHops), network.transport(0), MPI_COMM_NULL, 0);
  const std::int64_t send = 77;
  std::int64_t recv = 0;
  execution.bind(&send, &recv);
  EXPECT_TRUE(engine.test(execution)) << "not started";
  engine.start(execution);
  EXPECT_TRUE(execution.active());
  while (!engine.test(execution)) static_cast<void>(engine.progress());
  EXPECT_EQ(recv, send);
}

/// Threads start and wait at once: one drives for all, none starves, and each sees its data. `told`: the engine was
/// told that several threads call.
void start_in_several_threads(bool told) {
  constexpr int kThreads = 4;
  constexpr int kRepetitions = 200;
  LoopbackNetwork network(1, 11);
  Engine engine(network.transport(0));
  engine.set_waiting({.threads = told});
  const auto schedule = round_trips(kHops);
  std::array<std::unique_ptr<Execution>, kThreads> executions;
  for (int thread = 0; thread < kThreads; ++thread) {
    executions[static_cast<std::size_t>(thread)] =
        std::make_unique<Execution>(schedule, network.transport(0), MPI_COMM_NULL, thread * kHops);
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Execution& mine = *executions[static_cast<std::size_t>(thread)];
      for (int repetition = 0; repetition < kRepetitions; ++repetition) {
        const std::int64_t send = thread * 1000 + repetition;
        std::int64_t recv = -1;
        mine.bind(&send, &recv);
        engine.start(mine);
        if (repetition % 2 == 0) {
          engine.wait(mine);
        } else {
          for (unsigned idle = 0; !engine.test(mine);) engine.idle(++idle);
        }
        wrong += recv == send ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(network.unmatched(), 0U);
  EXPECT_EQ(network.transport(0).in_flight(), 0U);
}

TEST(Engine, SeveralThreads) { start_in_several_threads(true); }

/// PT-SCOTCH calls MPI in two threads at once, whatever level MPI was started with.
TEST(Engine, SeveralThreadsWithoutTheLevel) { start_in_several_threads(false); }

/// What was started while another thread had the token is posted when that gives it back.
TEST(Engine, StartWaitsForNobody) {
  LoopbackNetwork network(1, 7);
  Engine engine(network.transport(0));
  Execution execution(round_trips(kHops), network.transport(0), MPI_COMM_NULL, 0);
  const std::int64_t send = 9;
  std::int64_t recv = 0;
  execution.bind(&send, &recv);
  {
    const Engine::TokenScope turn(engine);
    std::thread([&] { engine.start(execution); }).join();
    EXPECT_TRUE(execution.active());
    EXPECT_EQ(network.transport(0).in_flight(), 0U);
  }
  EXPECT_GT(network.transport(0).in_flight(), 0U);
  engine.wait(execution);
  EXPECT_EQ(recv, send);
}

class Counting final : public Continuation {
 public:
  void run() noexcept override { ++runs; }
  int runs = 0;
};

/// Notes how many messages are in flight when it runs.
class LookingAtMessages final : public Continuation {
 public:
  explicit LookingAtMessages(Transport& transport) : transport_(transport) {}
  void run() noexcept override {
    in_flight = transport_.in_flight();
    has_run = true;
  }
  std::size_t in_flight = 0;
  bool has_run = false;

 private:
  Transport& transport_;
};

/// A callback may take as long as it likes: what another thread has started by then must be under way.
TEST(Engine, QueuedStartsComeBeforeCallbacks) {
  LoopbackNetwork network(1, 7);
  Engine engine(network.transport(0));
  Execution complete(round_trips(kHops), network.transport(0), MPI_COMM_NULL, 0);
  Execution execution(round_trips(kHops), network.transport(0), MPI_COMM_NULL, kHops);
  const std::int64_t send = 9;
  std::int64_t recv = 0;
  execution.bind(&send, &recv);
  LookingAtMessages callback(network.transport(0));
  {
    const Engine::TokenScope turn(engine);
    engine.when_complete(complete, ContinuationList(callback));
    std::thread([&] { engine.start(execution); }).join();
  }
  EXPECT_TRUE(callback.has_run);
  EXPECT_GT(callback.in_flight, 0U);
  engine.wait(execution);
  EXPECT_EQ(recv, send);
}

TEST(Engine, ContinuationsRunOnceWhenAllIsComplete) {
  LoopbackNetwork network(1, 9);
  Engine engine(network.transport(0));
  Execution execution(round_trips(kHops), network.transport(0), MPI_COMM_NULL, 0);
  const std::int64_t send = 1;
  std::int64_t recv = 0;
  execution.bind(&send, &recv);
  std::array<Counting, 3> counting;
  const auto arm = [&](Counting& one) {
    const Engine::TokenScope turn(engine);
    return engine.when_complete(execution, one);
  };
  EXPECT_FALSE(arm(counting[0])) << "not started";
  engine.start(execution);
  EXPECT_TRUE(arm(counting[0]));
  EXPECT_TRUE(arm(counting[1]));
  while (execution.active()) {
    EXPECT_EQ(counting[0].runs, 0);
    static_cast<void>(engine.progress());
  }
  EXPECT_EQ(counting[0].runs, 1);
  EXPECT_EQ(counting[1].runs, 1);
  EXPECT_FALSE(arm(counting[2])) << "complete";
  engine.start(execution);
  engine.wait(execution);
  EXPECT_EQ(counting[0].runs, 1) << "of one start only";
  EXPECT_EQ(counting[2].runs, 0);
}

/// Over after so many looks.
class Countdown final : public Preparation {
 public:
  explicit Countdown(int looks) : looks_(looks) {}
  bool advance() noexcept override {
    if (--looks_ > 0) return false;
    under_way.store(false, std::memory_order_release);  // release: as the engine's waiters expect
    return true;
  }
  void give_up(const std::string& why) override {
    given_up = why;
    under_way.store(false, std::memory_order_release);  // release: as above
  }
  [[nodiscard]] const char* name() const noexcept override { return "countdown"; }
  [[nodiscard]] int looks_left() const { return looks_; }
  std::atomic<bool> under_way = true;
  std::string given_up;

 private:
  int looks_;
};

TEST(Engine, LooksAtPreparationsUntilTheyAreOver) {
  LoopbackNetwork network(1, 5);
  Engine engine(network.transport(0));
  Countdown one(3);
  Countdown other(1);
  engine.look_after(one);
  engine.look_after(other);
  EXPECT_EQ(engine.progress(), 1U) << "one is over";
  EXPECT_EQ(other.looks_left(), 0);
  engine.wait_while(one.under_way);
  EXPECT_EQ(one.looks_left(), 0);
  EXPECT_EQ(other.looks_left(), 0) << "not looked at again";
  EXPECT_EQ(engine.progress(), 0U);
  EXPECT_EQ(one.looks_left(), 0);
}

TEST(Engine, GivesUpPreparationsWhenNothingMoves) {
  LoopbackNetwork network(1, 5);
  Engine engine(network.transport(0));
  engine.set_waiting({.timeout_seconds = 0.05, .rank = 4});
  constexpr int kForever = 1000000000;
  Countdown one(kForever);
  Countdown other(kForever);
  engine.look_after(one);
  engine.look_after(other);
  const CapturedErrors errors;
  engine.wait_while(one.under_way);
  EXPECT_FALSE(other.under_way);
  EXPECT_EQ(one.given_up, "no message moved for 50 ms (RONDO_TIMEOUT)");
  expect_words(errors.text(), {"[rondo] rank 4: no message moved for 50 ms (RONDO_TIMEOUT): in flight:",
                               "[rondo] rank 4: countdown: has not begun, it waits for calls of the other ranks"});
  const int looks = one.looks_left();
  EXPECT_EQ(engine.progress(), 0U);
  EXPECT_EQ(one.looks_left(), looks) << "not looked at again";
}

/// An execution of one message that rank 0 sends to itself, started over a network that waits if it is asked to.
class InsideMpi : public testing::Test {
 protected:
  InsideMpi() {
    engine_.set_waiting({.may_block = true, .threads = false});
    execution_.bind(&send_, &recv_);
  }

  FakeNetwork network_;
  Engine engine_{network_};
  Execution execution_{round_trips(1), network_, MPI_COMM_NULL, 0};

 private:
  std::int64_t send_ = 9;
  std::int64_t recv_ = 0;
};

/// A thread that waits inside MPI has the token, and another thread may have to start what it waits for. So no thread
/// waits there any more once two threads have called at the same time.
TEST_F(InsideMpi, WaitsUntilASecondThreadCalls) {
  engine_.start(execution_);
  engine_.wait(execution_);
  EXPECT_EQ(network_.waits, 1);
  std::thread second;
  {
    const Engine::TokenScope turn(engine_);
    second = std::thread([&] { engine_.start(execution_); });
    while (!execution_.active()) std::this_thread::yield();
  }
  second.join();
  engine_.wait(execution_);
  EXPECT_EQ(network_.waits, 1);
}

/// A partner may wait for what a preparation starts.
TEST_F(InsideMpi, DoesNotWaitBesidePreparations) {
  Countdown preparation(3);
  engine_.look_after(preparation);
  engine_.start(execution_);
  engine_.wait(execution_);
  EXPECT_EQ(network_.waits, 0);
  engine_.wait_while(preparation.under_way);
}

}  // namespace
}  // namespace rondo::internal::engine_test
