// Functions in passes of progress: none holds up messages.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <rondo/error.hpp>

#include "runtime/engine/engine.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/round_trips.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
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

/// `count` functions in a chain, for workers.
std::shared_ptr<const Schedule> chain_for_workers(int count, const ComputeFunction& function) {
  ScheduleBuilder builder;
  BlockId before = builder.block(Space::recv, 0, 8);
  builder.compute({}, Ids{before}, function, "first", true);
  for (int i = 1; i < count; ++i) {
    const BlockId next = builder.block(Space::recv, 8 * i, 8);
    builder.compute(Ids{before}, Ids{next}, function, "next", true);
    before = next;
  }
  return std::make_shared<const Schedule>(std::move(builder).build());
}

void give_crew(Engine& engine, Execution& execution) {
  const std::size_t functions = execution.schedule().computations().size();
  execution.set_function_crew(std::make_shared<FunctionCrew>(functions, engine.functions().done));
}

/// Not here, though this thread waits; one after the other, where the graph says so.
TEST(EngineFunctions, RunOnWorkers) {
  CountingTransport transport;
  Engine engine(transport);
  int ran = 0;
  int here = 0;
  const std::thread::id driver = std::this_thread::get_id();
  Listed it(engine, chain_for_workers(20, [&](const ComputeBlocks&) {
              ++ran;
              here += std::this_thread::get_id() == driver ? 1 : 0;
            }));
  give_crew(engine, it.execution);
  for (int start = 1; start <= 50; ++start) {
    engine.start(it.execution);
    engine.wait(it.execution);
    ASSERT_EQ(ran, 20 * start);
  }
  EXPECT_LT(here, 500) << "where this machine is so busy that workers come late";
}

/// The only worker is busy, and the thread that takes its place is in a function for long: what that waits for comes
/// meanwhile.
TEST(EngineFunctions, WhoRunsOneInPlaceOfAWorkerHoldsUpNoMessages) {
  LoopbackNetwork network(1, 3);
  Engine engine(network.transport(0));
  engine.set_waiting({.threads = true});
  const ::tbb::global_control threads(::tbb::global_control::max_allowed_parallelism, 2);
  ::tbb::task_arena arena(2);
  std::atomic<bool> there = false;
  std::atomic<bool> is_busy = false;
  std::atomic<bool> is_over = false;
  arena.enqueue([&] {
    is_busy.store(true);
    while (!there.load()) std::this_thread::yield();
    is_over.store(true);
  });
  while (!is_busy.load()) std::this_thread::yield();
  arena.execute([&] {
    Execution messages(round_trips(5), network.transport(0), MPI_COMM_NULL, 0);
    const std::int64_t send = 77;
    std::int64_t recv = 0;
    messages.bind(&send, &recv);
    std::atomic<bool> begun = false;
    bool in_time = false;
    int refused = 0;
    Listed it(engine, chain_for_workers(1, [&](const ComputeBlocks&) {
                begun.store(true);
                const std::int64_t until = monotonic_nanoseconds() + 5'000'000'000;
                while (!there.load() && monotonic_nanoseconds() < until) std::this_thread::yield();
                in_time = there.load();
                for (int time = 0; time < 2; ++time) {
                  try {
                    static_cast<void>(engine.progress());
                  } catch (const Error&) {
                    ++refused;
                  }
                }
              }));
    give_crew(engine, it.execution);
    engine.start(it.execution);
    std::thread waits([&] { engine.wait(it.execution); });
    while (!begun.load()) std::this_thread::yield();
    engine.start(messages);
    engine.wait(messages);
    EXPECT_EQ(recv, send);
    there.store(true);
    waits.join();
    EXPECT_FALSE(it.execution.active());
    EXPECT_TRUE(in_time);
    EXPECT_EQ(refused, 2) << "nothing may be driven there, though the token is free";
  });
  while (!is_over.load()) std::this_thread::yield();
}

TEST(EngineFunctions, AFailureOnAWorkerEndsTheOperation) {
  CountingTransport transport;
  Engine engine(transport);
  int ran = 0;
  int throws = 3;
  Listed it(engine, chain_for_workers(5, [&](const ComputeBlocks&) {
              if (++ran == throws) throw std::runtime_error("no convergence");
            }));
  give_crew(engine, it.execution);
  engine.start(it.execution);
  engine.wait(it.execution);
  EXPECT_EQ(ran, 3);
  ASSERT_TRUE(it.execution.failure());
  EXPECT_EQ(it.execution.describe_failure(),
            "compute \"next\" (task 2, phase 0, round 2): its function threw: no convergence");
  throws = 0;
  engine.start(it.execution);
  engine.wait(it.execution);
  EXPECT_EQ(ran, 8);
  EXPECT_FALSE(it.execution.failure());
}

/// Functions over a graph that is made at random, on workers or not. Each writes in which start it ran, and finds that
/// all it waits for have run in this one.
struct RandomGraph {
  explicit RandomGraph(std::uint64_t seed, bool with_driver) : random(seed) {
    ScheduleBuilder builder;
    Ids blocks;
    for (int i = 0; i < kFunctions; ++i) {
      Ids reads;
      for (std::size_t k = blocks.size() - std::min<std::size_t>(blocks.size(), 8); k < blocks.size(); ++k) {
        if (random() % 4 == 0) reads.push_back(blocks[k]);
      }
      blocks.push_back(builder.block(Space::recv, 8 * i, 8));
      const auto function = [this, i](const ComputeBlocks& them) {
        if (i == throws.load()) throw std::runtime_error("no convergence");
        for (std::size_t k = 0; k < them.reads(); ++k) early += them.read<std::int64_t>(k)[0] == start ? 0 : 1;
        them.write<std::int64_t>(0)[0] = start;
        ++ran;
      };
      builder.compute(reads, Ids{blocks.back()}, function, std::to_string(i), !with_driver || random() % 3 > 0);
    }
    schedule = std::make_shared<const Schedule>(std::move(builder).build());
  }
  static constexpr int kFunctions = 60;
  std::minstd_rand random;
  std::shared_ptr<const Schedule> schedule;
  std::int64_t start = 0;
  std::atomic<int> throws = -1;
  std::atomic<int> early = 0;
  std::atomic<int> ran = 0;
};

/// Whatever has failed, the next start runs all.
TEST(EngineFunctions, RunInOrderOnWorkersAndHere) {
  CountingTransport transport;
  Engine engine(transport);
  const ::tbb::global_control threads(::tbb::global_control::max_allowed_parallelism, 4);
  ::tbb::task_arena(4).execute([&] {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      RandomGraph graph(seed, seed % 2 == 0);
      Listed it(engine, graph.schedule);
      give_crew(engine, it.execution);
      for (graph.start = 1; graph.start <= 10; ++graph.start) {
        const bool fails = graph.start % 3 == 0;
        graph.ran.store(0);
        graph.throws.store(fails ? static_cast<int>(graph.random() % RandomGraph::kFunctions) : -1);
        engine.start(it.execution);
        engine.wait(it.execution);
        EXPECT_EQ(it.execution.failure().has_value(), fails);
        EXPECT_EQ(it.execution.on_workers(), 0U);
        if (fails) {
          EXPECT_LT(graph.ran.load(), RandomGraph::kFunctions);
        } else {
          EXPECT_EQ(graph.ran.load(), RandomGraph::kFunctions);
        }
      }
      EXPECT_EQ(graph.early.load(), 0) << "seed " << seed;
    }
  });
}

/// The second waits for what the driving thread does when it hears of the first.
TEST(EngineFunctions, AreToldBeforeTheirFollowersRun) {
  CountingTransport transport;
  Engine engine(transport);
  std::atomic<bool> told = false;
  bool in_time = false;
  ScheduleBuilder builder;
  const BlockId first = builder.block(Space::recv, 0, 8);
  builder.compute(
      {}, Ids{first}, [](const ComputeBlocks&) {}, "first", true);
  builder.compute(
      Ids{first}, Ids{builder.block(Space::recv, 8, 8)},
      [&](const ComputeBlocks&) {
        const std::int64_t until = monotonic_nanoseconds() + 5'000'000'000;
        while (!told.load() && monotonic_nanoseconds() < until) std::this_thread::yield();
        in_time = told.load();
      },
      "follower", true);
  builder.compute(
      Ids{first}, Ids{builder.block(Space::recv, 16, 8)}, [&](const ComputeBlocks&) { told.store(true); }, "here");
  Listed it(engine, std::make_shared<const Schedule>(std::move(builder).build()));
  give_crew(engine, it.execution);
  engine.start(it.execution);
  engine.wait(it.execution);
  EXPECT_TRUE(in_time);
}

/// What waited for a function of this thread, which failed, never runs, and neither does what would have followed it.
TEST(EngineFunctions, AFailureHereEndsWhatFollowsOnWorkers) {
  CountingTransport transport;
  Engine engine(transport);
  bool throws = true;
  std::atomic<int> ran = 0;
  const auto count = [&](const ComputeBlocks&) { ++ran; };
  ScheduleBuilder builder;
  Ids blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(builder.block(Space::recv, 8 * i, 8));
  builder.compute(
      {}, Ids{blocks[0]},
      [&](const ComputeBlocks&) {
        if (throws) throw std::runtime_error("no convergence");
      },
      "here");
  builder.compute(Ids{blocks[0]}, Ids{blocks[1]}, count, "waits", true);
  builder.compute(Ids{blocks[1]}, Ids{blocks[2]}, count, "follows", true);
  builder.compute(Ids{blocks[2]}, Ids{blocks[3]}, count, "follows that", true);
  Listed it(engine, std::make_shared<const Schedule>(std::move(builder).build()));
  give_crew(engine, it.execution);
  for (int start = 0; start < 10; ++start) {
    throws = start % 2 == 0;
    ran.store(0);
    engine.start(it.execution);
    engine.wait(it.execution);
    EXPECT_EQ(ran.load(), throws ? 0 : 3);
    EXPECT_EQ(it.execution.failure().has_value(), throws);
  }
}

/// Workers are all busy with what ends when this thread has waited.
TEST(EngineFunctions, RunHereWhereNoWorkerComes) {
  CountingTransport transport;
  Engine engine(transport);
  ::tbb::task_arena arena{::tbb::task_arena::attach()};
  const int workers = std::max(1, arena.max_concurrency() - 1);
  std::atomic<bool> free = false;
  std::atomic<int> busy = 0;
  std::atomic<int> ended = 0;
  for (int i = 0; i < workers; ++i) {
    arena.enqueue([&] {
      ++busy;
      while (!free.load()) std::this_thread::yield();
      ++ended;
    });
  }
  while (busy.load() < workers) std::this_thread::yield();
  int ran = 0;
  Listed it(engine, chain_for_workers(3, [&](const ComputeBlocks&) { ++ran; }));
  give_crew(engine, it.execution);
  engine.start(it.execution);
  engine.wait(it.execution);
  EXPECT_EQ(ran, 3);
  free.store(true);
  while (ended.load() < workers) std::this_thread::yield();
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
