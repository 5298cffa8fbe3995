// Compute tasks as an execution runs them.
#include <gtest/gtest.h>

#include "runtime/execution/block_watch.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/computation.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::execution_functions_test {
namespace {

using Ids = std::vector<BlockId>;

/// One rank's schedule, and which of its functions ran.
class Given {
 public:
  explicit Given(const std::function<void(Given&, ScheduleBuilder&)>& build) : network_(1, 5) {
    ScheduleBuilder builder;
    build(*this, builder);
    execution = std::make_unique<Execution>(std::make_shared<const Schedule>(std::move(builder).build()),
                                            network_.transport(0), MPI_COMM_NULL, 0);
    execution->bind(send.data(), recv.data());
  }
  /// One that says so.
  ComputeFunction function(std::string name) {
    return [this, name = std::move(name)](const ComputeBlocks&) { ran += name; };
  }
  void poll() {
    for (const Completion& completion : network_.transport(0).poll())
      completion.execution->complete(completion.task, completion.code);
  }
  void finish() {
    while (execution->active()) {
      if (execution->has_ready_functions()) static_cast<void>(execution->run_functions(nullptr));
      poll();
    }
  }
  LoopbackNetwork& network() { return network_; }

  std::array<std::int64_t, 16> send{};
  std::array<std::int64_t, 16> recv{};
  std::string ran;

 private:
  LoopbackNetwork network_;

 public:
  std::unique_ptr<Execution> execution;
};

BlockId received(ScheduleBuilder& builder, int number) { return builder.block(Space::recv, 8 * number, 8); }

TEST(Functions, RunInTheOrderInWhichTheyBecomeReadyButUrgentOnesFirst) {
  Given it([](Given& given, ScheduleBuilder& builder) {
    Ids blocks;
    for (int i = 0; i < 5; ++i) blocks.push_back(received(builder, i));
    builder.compute({}, Ids{blocks[0]}, given.function("a"), "a");
    builder.compute({}, Ids{blocks[1]}, given.function("b"), "b");
    builder.compute({}, Ids{blocks[2]}, given.function("c"), "c");
    builder.compute(Ids{blocks[0]}, Ids{blocks[3]}, given.function("d"), "d");
    builder.send(0, 0, Ids{blocks[2]});
    builder.receive(0, 0, Ids{blocks[4]});
    builder.compute(Ids{blocks[4], blocks[3], blocks[1]}, Ids{blocks[4]}, given.function("e"), "e");
  });
  for (int start = 0; start < 3; ++start) {
    it.ran.clear();
    it.execution->start();
    EXPECT_EQ(it.ran, "") << "a start runs none";
    EXPECT_TRUE(it.execution->has_ready_functions());
    static_cast<void>(it.execution->run_functions(nullptr));
    EXPECT_EQ(it.ran, "c");
    it.finish();
    EXPECT_EQ(it.ran.substr(0, 4), "cabd");
    EXPECT_EQ(it.ran, "cabde");
  }
}

/// Each adds 1 to what the one before left, in the buffers of the start.
TEST(Functions, AreGivenTheBuffersThatAreBound) {
  Given it([](Given&, ScheduleBuilder& builder) {
    const auto add_one = [](const ComputeBlocks& blocks) {
      blocks.write<std::int64_t>(0)[0] = blocks.read<std::int64_t>(0)[0] + 1;
    };
    Ids chain{builder.block(Space::send, 8, 8)};
    for (int i = 0; i < 10; ++i) chain.push_back(i == 9 ? received(builder, 3) : builder.transit(8));
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      builder.compute(Ids{chain[i]}, Ids{chain[i + 1]}, add_one, "add");
    builder.compute(Ids{chain.back()}, Ids{chain.back()}, add_one, "update");
  });
  std::array<std::array<std::int64_t, 16>, 2> sent{};
  std::array<std::array<std::int64_t, 16>, 2> result{};
  for (std::size_t i = 0; i < 2; ++i) {
    sent[i][1] = 100 * static_cast<std::int64_t>(i);
    it.execution->bind(sent[i].data(), result[i].data());
    it.execution->start();
    it.finish();
    EXPECT_EQ(result[i][3], 100 * static_cast<std::int64_t>(i) + 11);
  }
}

/// As messages that fail: the others do not run, and nothing waits for ever.
TEST(Functions, AnExceptionIsTheFailureOfItsTask) {
  bool throws = true;
  Given it([&](Given& given, ScheduleBuilder& builder) {
    const BlockId one = received(builder, 0);
    const BlockId other = received(builder, 1);
    const BlockId third = received(builder, 2);
    builder.begin_phase();
    builder.compute({}, Ids{third}, given.function("before"), "before");
    builder.begin_phase();
    builder.compute(
        {}, Ids{one},
        [&](const ComputeBlocks&) {
          if (throws) throw std::runtime_error("no convergence");
          given.ran += "thrower";
        },
        "thrower");
    builder.send(0, 0, Ids{one});
    builder.receive(0, 0, Ids{other});
    builder.compute(Ids{other}, {}, given.function("after"), "after");
    builder.compute(Ids{third}, {}, given.function("beside"), "beside");
  });
  it.execution->start();
  it.finish();
  EXPECT_EQ(it.ran, "") << "it is urgent, and so came first";
  ASSERT_TRUE(it.execution->failure());
  EXPECT_EQ(it.execution->failure_class(), MPI_ERR_OTHER);
  EXPECT_EQ(it.execution->describe_failure(),
            "compute \"thrower\" (task 1, phase 1, round 0): its function threw: no convergence");
  EXPECT_TRUE(it.execution->usable());
  EXPECT_EQ(it.network().unmatched(), 0U);
  throws = false;
  it.execution->start();
  it.finish();
  EXPECT_FALSE(it.execution->failure());
  EXPECT_EQ(it.ran, "throwerbeforebesideafter");
}

TEST(Functions, WhatIsThrownNeedNotBeAnException) {
  Given it([](Given&, ScheduleBuilder& builder) {
    builder.compute(
        {}, Ids{received(builder, 0)}, [](const ComputeBlocks&) { throw 7; }, "it");
  });
  it.execution->start();
  it.finish();
  EXPECT_EQ(it.execution->describe_failure(),
            "compute \"it\" (task 0, phase 0, round 0): its function threw: what is no std::exception");
}

TEST(Functions, DoNotRunAfterAMessageHasFailed) {
  Given it([](Given& given, ScheduleBuilder& builder) {
    const BlockId own = builder.block(Space::send, 0, 8);
    const BlockId one = received(builder, 0);
    builder.compute({}, Ids{received(builder, 1)}, given.function("ready"), "ready");
    builder.send(0, 0, Ids{own});
    builder.receive(0, 0, Ids{one});
    builder.compute(Ids{one}, {}, given.function("after"), "after");
  });
  it.network().set_fault({LoopbackNetwork::Fault::Of::completion, 0, 0});
  it.execution->start();
  while (!it.execution->failure()) it.poll();
  it.finish();
  EXPECT_EQ(it.ran, "");
}

/// Who asks for blocks while a function is ready: what it writes has not arrived.
TEST(Functions, BlocksArriveWithTheirFunctions) {
  for (const bool amid : {false, true}) {
    Given it([](Given& given, ScheduleBuilder& builder) {
      const BlockId one = received(builder, 0);
      builder.compute({}, Ids{one}, given.function("a"), "a");
      builder.compute(Ids{one}, Ids{received(builder, 1)}, given.function("b"), "b");
    });
    UserBlocks blocks{2, 0};
    blocks.received_block = [](int i) { return UserBlock{8 * i, Layout::contiguous(8)}; };
    BlockWatch watch(it.execution->schedule(), blocks);
    const auto arrived = [&](int block) { return watch.is_done(BlockSide::received, block); };
    if (!amid) it.execution->watch_blocks(watch);
    watch.begin();
    it.execution->start();
    if (amid) it.execution->watch_blocks(watch);
    EXPECT_FALSE(arrived(0));
    static_cast<void>(it.execution->run_functions(nullptr));
    EXPECT_TRUE(arrived(0));
    EXPECT_FALSE(arrived(1));
    it.finish();
    EXPECT_TRUE(arrived(1));
  }
}

}  // namespace
}  // namespace rondo::internal::execution_functions_test
