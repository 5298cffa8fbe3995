// Functions between the thread that drives and workers: every one runs once, and is told once. Run under the thread
// sanitizer, too.
#include "runtime/functions/worker_functions.hpp"

#include <gtest/gtest.h>

#include "runtime/functions/function_crew.hpp"

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
      functions[i].bases = &bases;
      functions[i].task = static_cast<TaskId>(i);
    }
  }
  std::array<std::byte*, kSpaces> bases{};
  std::vector<int> runs;
  std::vector<ComputeCall> calls;
  std::vector<WorkerFunction> functions;
};

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
        function->call->run(*function->bases);
        done.push(*function);
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) {
    std::size_t left = kFunctions;
    for (WorkerFunction& function : counted.functions) waiting.push(function);
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
