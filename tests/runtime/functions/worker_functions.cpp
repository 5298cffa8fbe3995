// Functions between the thread that drives and workers: every one runs once, and is told once. Run under the thread
// sanitizer, too.
#include "runtime/functions/worker_functions.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "runtime/functions/function_crew.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::worker_functions_test {
namespace {

/// Functions that count their runs, in plain memory that the next run must see.
struct Counted {
  explicit Counted(std::size_t count) : runs(count), calls(count), functions(count) {
    for (std::size_t i = 0; i < count; ++i) {
      calls[i] = {[this, i](const ComputeBlocks&) { ++runs[i]; }, nullptr, 0, 0};
      functions[i].call = &calls[i];
      functions[i].home = &home;
      functions[i].task = static_cast<TaskId>(i);
    }
  }
  std::array<std::byte*, kSpaces> bases{};
  FunctionHome home{.bases = &bases};
  std::vector<int> runs;
  std::vector<ComputeCall> calls;
  std::vector<WorkerFunction> functions;
};

/// The first pushes it, all others follow one, as the binary tree of their numbers says.
void make_tree(std::vector<WorkerFunction>& functions, std::vector<WorkerFunction*>& followers) {
  for (WorkerFunction& function : functions) followers.push_back(&function);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::size_t first = std::min(2 * i + 1, functions.size());
    functions[i].followers = followers.data() + first;
    functions[i].follower_count = static_cast<std::uint32_t>(std::min(first + 2, functions.size()) - first);
    functions[i].awaited = i > 0 ? 1 : 0;
  }
}

/// Some threads take what one pushes, in many rounds, in each of which all functions run.
TEST(WorkerFunctions, EachRunsOnceInARound) {
  constexpr std::size_t kFunctions = 7;
  constexpr int kRounds = 2000;
  Counted counted(kFunctions);
  WaitingFunctions waiting(kFunctions);
  DoneFunctions done;
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      while (!over.load()) {
        WorkerFunction* const function = waiting.take();
        if (function == nullptr) {
          std::this_thread::yield();
          continue;
        }
        function->call->run(*function->home->bases);
        done.push(*function);
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) {
    std::size_t left = kFunctions;
    for (WorkerFunction& function : counted.functions) waiting.push(&function);
    while (left > 0) {
      done.take_all([&](const WorkerFunction& function) {
        EXPECT_EQ(counted.runs[function.task], round);
        --left;
      });
      std::this_thread::yield();
    }
    EXPECT_TRUE(waiting.empty());
  }
  over.store(true);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(done.empty());
}

/// What workers of oneTBB have run; false: nobody came.
std::size_t wait_for(DoneFunctions& done, std::size_t count) {
  std::size_t found = 0;
  while (found < count) {
    done.take_all([&](const WorkerFunction&) { ++found; });
    std::this_thread::yield();
  }
  return found;
}

/// Where workers leave in between, and where they do not.
TEST(WorkerFunctions, ACrewRunsThem) {
  for (const int pause : {0, 200}) {
    DoneFunctions done;
    Counted counted(20);
    const auto crew = std::make_shared<FunctionCrew>(counted.functions.size(), done);
    for (int round = 1; round <= 100; ++round) {
      for (WorkerFunction& function : counted.functions) crew->push(function);
      EXPECT_EQ(wait_for(done, counted.functions.size()), counted.functions.size());
      for (const int runs : counted.runs) EXPECT_EQ(runs, round);
      if (pause > 0 && round % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(pause));
    }
  }
}

/// A follower runs after what it follows, and is told of after that.
TEST(WorkerFunctions, ACrewRunsFollowers) {
  DoneFunctions done;
  Counted counted(100);
  std::vector<WorkerFunction*> followers;
  make_tree(counted.functions, followers);
  const auto crew = std::make_shared<FunctionCrew>(counted.functions.size(), done);
  for (int round = 1; round <= 200; ++round) {
    crew->push(counted.functions[0]);
    std::size_t left = counted.functions.size();
    std::vector<bool> told(left);
    while (left > 0) {
      done.take_all([&](const WorkerFunction& function) {
        EXPECT_EQ(counted.runs[function.task], round);
        EXPECT_TRUE(function.task == 0 || told[(function.task - 1) / 2]) << function.task;
        told[function.task] = true;
        --left;
      });
      std::this_thread::yield();
    }
  }
}

/// One that follows several runs when all of these have, and sees what they wrote.
TEST(WorkerFunctions, AFollowerWaitsForAll) {
  DoneFunctions done;
  Counted counted(5);
  WorkerFunction& last = counted.functions.back();
  WorkerFunction* const follower = &last;
  last.awaited = 4;
  last.pending.store(4);
  for (std::size_t i = 0; i < 4; ++i) {
    counted.functions[i].followers = &follower;
    counted.functions[i].follower_count = 1;
  }
  counted.calls[4].function = [&](const ComputeBlocks&) {
    counted.runs[4] = std::min({counted.runs[0], counted.runs[1], counted.runs[2], counted.runs[3]});
  };
  const auto crew = std::make_shared<FunctionCrew>(counted.functions.size(), done);
  for (int round = 1; round <= 500; ++round) {
    for (std::size_t i = 0; i < 4; ++i) crew->push(counted.functions[i]);
    EXPECT_EQ(wait_for(done, 5), 5U);
    ASSERT_EQ(counted.runs[4], round);
  }
}

/// In the order in which they became ready: what follows for long holds up nothing that waits.
TEST(WorkerFunctions, AChainTakesTurnsWithOthers) {
  DoneFunctions done;
  Counted counted(6);  // 0, 1 and 2 are a chain, 3, 4 and 5 wait beside it
  std::atomic<bool> pushed = false;
  std::string order;
  for (std::size_t i = 0; i < counted.functions.size(); ++i) {
    counted.calls[i].function = [&, i](const ComputeBlocks&) {
      while (!pushed.load()) std::this_thread::yield();
      order += std::to_string(i);
    };
  }
  const std::array<WorkerFunction*, 2> followers{&counted.functions[1], &counted.functions[2]};
  for (std::size_t i = 0; i < followers.size(); ++i) {
    counted.functions[i].followers = &followers[i];
    counted.functions[i].follower_count = 1;
    followers[i]->awaited = 1;
  }
  ::tbb::task_arena arena(2);  // this thread, and one worker
  arena.execute([&] {
    const auto crew = std::make_shared<FunctionCrew>(counted.functions.size(), done);
    for (const std::size_t i : {0U, 3U, 4U, 5U}) crew->push(counted.functions[i]);
    pushed.store(true);
    wait_for(done, counted.functions.size());
  });
  EXPECT_EQ(order, "034512");
}

/// All that becomes ready at once is for all workers, not only for the one that made it so.
TEST(WorkerFunctions, FollowersRunAtTheSameTime) {
  DoneFunctions done;
  Counted counted(3);
  std::vector<WorkerFunction*> followers;
  make_tree(counted.functions, followers);
  std::atomic<int> begun = 0;
  for (const std::size_t i : {1U, 2U}) {
    counted.calls[i].function = [&](const ComputeBlocks&) {
      ++begun;
      while (begun.load() < 2) std::this_thread::yield();
    };
  }
  const ::tbb::global_control threads(::tbb::global_control::max_allowed_parallelism, 3);
  ::tbb::task_arena arena(3);  // this thread, and two workers
  arena.execute([&] {
    const auto crew = std::make_shared<FunctionCrew>(counted.functions.size(), done);
    for (int round = 0; round < 20; ++round) {
      begun.store(0);
      crew->push(counted.functions[0]);
      EXPECT_EQ(wait_for(done, 3), 3U);
    }
  });
}

/// What the driving thread runs leaves what follows to workers.
TEST(WorkerFunctions, TheDriverRunsOne) {
  DoneFunctions done;
  Counted counted(7);
  std::vector<WorkerFunction*> followers;
  make_tree(counted.functions, followers);
  ::tbb::task_arena arena(2);
  enum Stage : std::uint8_t { kCalled, kBusy, kFree, kGone };
  std::atomic<Stage> worker = kGone;
  worker.store(kCalled);
  arena.enqueue([&] {
    if (worker.load() == kCalled) worker.store(kBusy);
    while (worker.load() != kFree) std::this_thread::yield();
    worker.store(kGone);
  });
  while (worker.load() != kBusy) std::this_thread::yield();
  arena.execute([&] {
    const auto crew = std::make_shared<FunctionCrew>(counted.functions.size(), done);
    crew->push(counted.functions[0]);
    EXPECT_TRUE(crew->run_one());
    EXPECT_EQ(crew->waiting(), 2U);
    EXPECT_TRUE(crew->run_one());
    EXPECT_EQ(crew->waiting(), 3U);
    EXPECT_EQ(counted.runs, (std::vector<int>{1, 1, 0, 0, 0, 0, 0}));
    worker.store(kFree);
    EXPECT_EQ(wait_for(done, 7), 7U);
    EXPECT_FALSE(crew->run_one());
  });
  while (worker.load() != kGone) std::this_thread::yield();
}

/// After an exception what follows is told and not run.
TEST(WorkerFunctions, ACrewRunsNoFollowersOfWhatThrew) {
  DoneFunctions done;
  Counted counted(7);
  std::vector<WorkerFunction*> followers;
  make_tree(counted.functions, followers);
  counted.calls[0].function = [](const ComputeBlocks&) { throw std::runtime_error("no convergence"); };
  const auto crew = std::make_shared<FunctionCrew>(counted.functions.size(), done);
  crew->push(counted.functions[0]);
  EXPECT_EQ(wait_for(done, 7), 7U);
  EXPECT_EQ(counted.runs, std::vector<int>(7));
}

TEST(WorkerFunctions, ACrewKeepsExceptions) {
  DoneFunctions done;
  Counted counted(1);
  counted.calls[0].function = [](const ComputeBlocks&) { throw std::runtime_error("no convergence"); };
  const auto crew = std::make_shared<FunctionCrew>(1, done);
  crew->push(counted.functions[0]);
  wait_for(done, 1);
  ASSERT_TRUE(counted.functions[0].thrown);
  EXPECT_THROW(std::rethrow_exception(counted.functions[0].thrown), std::runtime_error);
}

TEST(WorkerFunctions, ACrewPassesOver) {
  DoneFunctions done;
  Counted counted(3);
  const auto crew = std::make_shared<FunctionCrew>(3, done);
  crew->pass_over(true);
  for (WorkerFunction& function : counted.functions) crew->push(function);
  wait_for(done, 3);
  EXPECT_EQ(counted.runs, (std::vector<int>{0, 0, 0}));
  crew->pass_over(false);
  crew->push(counted.functions[1]);
  wait_for(done, 1);
  EXPECT_EQ(counted.runs, (std::vector<int>{0, 1, 0}));
}

}  // namespace
}  // namespace rondo::internal::worker_functions_test
