// Functions in passes of progress: none holds up messages.
#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "collectives/rehearsal/loopback_transport.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/round_trips.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::engine_functions_test {
namespace {

using Ids = std::vector<BlockId>;

void spin(std::int64_t nanoseconds) {
  const std::int64_t until = monotonic_nanoseconds() + nanoseconds;
  while (monotonic_nanoseconds() < until) {
  }
}

/// Counts the looks at messages, of which there are none.
class CountingTransport final : public Transport {
 public:
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution&, std::span<const Message>, const Route*) override { return {0, MPI_ERR_OTHER}; }
  int post_in_failure(Execution&, const Message&, const Route*) override { return MPI_ERR_OTHER; }
  std::span<const Completion> poll() override {
    ++polls;
    return {};
  }
  void abandon(Execution&, ScratchMemory&) override {}
  std::size_t in_flight() const noexcept override { return 0; }
  InFlight in_flight_at(std::size_t) const noexcept override { return {nullptr, kNoTask}; }

  int polls = 0;
};

/// `count` functions that wait for nothing.
std::shared_ptr<const Schedule> wide(int count, const ComputeFunction& function) {
  ScheduleBuilder builder;
  for (int i = 0; i < count; ++i) builder.compute({}, Ids{builder.block(Space::recv, 8 * i, 8)}, function, "wide");
  return std::make_shared<const Schedule>(std::move(builder).build());
}

/// An execution on the engine's list.
struct Listed {
  Listed(Engine& engine, std::shared_ptr<const Schedule> schedule)
      : recv(schedule->tasks().size()), execution(std::move(schedule), engine.transport(), MPI_COMM_NULL, 0) {
    execution.bind(nullptr, recv.data());
    execution.set_function_list(&engine.functions());
  }
  std::vector<std::int64_t> recv;
  Execution execution;
};

TEST(EngineFunctions, AStartRunsNone) {
  CountingTransport transport;
  Engine engine(transport);
  int ran = 0;
  Listed it(engine, wide(3, [&](const ComputeBlocks&) { ++ran; }));
  engine.start(it.execution);
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(it.execution.active());
  engine.wait(it.execution);
  EXPECT_EQ(ran, 3);
  EXPECT_LE(transport.polls, 3);
}

/// After the first few, of which nobody knew that they would be long, messages are looked after before each.
TEST(EngineFunctions, MessagesAreLookedAfterBetweenLongOnes) {
  CountingTransport transport;
  Engine engine(transport);
  spin(2'000'000);
  std::vector<int> polls;
  Listed it(engine, wide(20, [&](const ComputeBlocks&) {
              polls.push_back(transport.polls);
              spin(4 * FunctionTime::kLongest);
            }));
  engine.start(it.execution);
  engine.wait(it.execution);
  ASSERT_EQ(polls.size(), 20U);
  for (std::size_t i = FunctionTime::kMostUnread; i < polls.size(); ++i) EXPECT_GT(polls[i], polls[i - 1]) << i;
}

/// Operations take turns.
TEST(EngineFunctions, NoOperationHoldsUpAnother) {
  CountingTransport transport;
  Engine engine(transport);
  spin(2'000'000);
  std::string ran;
  const auto long_one = [&](char name) {
    return [&ran, name](const ComputeBlocks&) {
      ran += name;
      spin(4 * FunctionTime::kLongest);
    };
  };
  Listed one(engine, wide(20, long_one('a')));
  Listed other(engine, wide(20, long_one('b')));
  engine.start(one.execution);
  engine.start(other.execution);
  engine.wait(one.execution);
  engine.wait(other.execution);
  ASSERT_EQ(ran.size(), 40U);
  EXPECT_NE(ran.substr(0, 10).find('b'), std::string::npos) << ran;
  EXPECT_NE(ran.substr(10, 10).find("ab"), std::string::npos) << ran;
}

/// And one that waits for what only messages bring goes on meanwhile.
TEST(EngineFunctions, MessagesMoveMeanwhile) {
  LoopbackNetwork network(1, 3);
  Engine engine(network.transport(0));
  Execution messages(round_trips(5), network.transport(0), MPI_COMM_NULL, 0);
  const std::int64_t send = 77;
  std::int64_t recv = 0;
  messages.bind(&send, &recv);
  int before = 0;
  Listed it(engine, wide(2000, [&](const ComputeBlocks&) {
              before += messages.active() ? 1 : 0;
              spin(FunctionTime::kLongest);
            }));
  engine.start(it.execution);
  engine.start(messages);
  engine.wait(it.execution);
  EXPECT_FALSE(messages.active());
  EXPECT_LT(before, 1000);
  EXPECT_EQ(recv, send);
}

TEST(EngineFunctions, MayStartWhatIsReady) {
  LoopbackNetwork network(1, 3);
  for (const bool threads : {true, false}) {
    Engine engine(network.transport(0));
    engine.set_waiting({.threads = threads});
    Execution messages(round_trips(5), network.transport(0), MPI_COMM_NULL, 0);
    const std::int64_t send = 77;
    std::int64_t recv = 0;
    messages.bind(&send, &recv);
    Listed it(engine, wide(1, [&](const ComputeBlocks&) { engine.start(messages); }));
    engine.start(it.execution);
    engine.wait(it.execution);
    EXPECT_TRUE(messages.active());
    engine.wait(messages);
    EXPECT_EQ(recv, send);
  }
}

/// What would wait there for ever, in the end, is the failure of the function.
TEST(EngineFunctions, WaitForNothing) {
  CountingTransport transport;
  Engine engine(transport);
  Listed waited(engine, wide(1, [](const ComputeBlocks&) {}));
  const std::atomic<bool> under_way = true;
  const std::vector<std::function<void()>> waits{
      [&] { engine.wait(waited.execution); },         [&] { static_cast<void>(engine.test(waited.execution)); },
      [&] { static_cast<void>(engine.progress()); },  [&] { engine.wait_while(under_way); },
      [&] { const Engine::TokenScope turn(engine); },
  };
  for (const auto& wait : waits) {
    Listed it(engine, wide(1, [&](const ComputeBlocks&) {
                engine.start(waited.execution);
                wait();
              }));
    engine.start(it.execution);
    engine.wait(it.execution);
    ASSERT_TRUE(it.execution.failure());
    EXPECT_EQ(it.execution.failure_class(), MPI_ERR_OTHER);
    EXPECT_NE(it.execution.describe_failure().find("called in the function of a compute task"), std::string::npos)
        << it.execution.describe_failure();
    engine.wait(waited.execution);
  }
  EXPECT_FALSE(InsideFunctions::now());
}

}  // namespace
}  // namespace rondo::internal::engine_functions_test
