// Persistent operations that also learn whether they run better inline or in the background. MPI_THREAD_MULTIPLE.
#include <gtest/gtest.h>
#include <rondo/progress.hpp>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "collectives/learning/contenders.hpp"
#include "collectives/learning/learned_file.hpp"
#include "collectives/tuning/tuning_file.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/kept_findings.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rondo::internal::learning_progress_test {
namespace {

/// Past the third look.
constexpr int kStarts = 900;

/// The same word on all ranks.
void expect_alike(int word, const std::string& what) {
  int first = word;
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(word, first) << what;
}

/// An alltoall of long blocks, with its data.
class Alltoall {
 public:
  explicit Alltoall(const Options& options, const Options& of_comm = {}, std::size_t block = 5000)
      : block_(block),
        comm_(MPI_COMM_WORLD, of_comm),
        request_(comm_.alltoall_init(send_, recv_, static_cast<int>(block), options)) {}
  Request& request() { return request_; }
  [[nodiscard]] std::string told() const { return request_.explain(); }

  /// `between`: what is computed between the start and the wait.
  template <typename Between>
  void run(int start, Between between) {
    for (std::size_t i = 0; i < send_.size(); ++i)
      send_[i] = value(world_rank(), static_cast<int>(i / block_), start, i % block_);
    std::ranges::fill(recv_, -1);
    request_.start();
    between();
    if (start % 3 == 0) {
      while (!request_.test()) std::this_thread::yield();
    } else {
      request_.wait();
    }
    std::vector<int> expected(recv_.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = value(static_cast<int>(i / block_), world_rank(), start, i % block_);
    EXPECT_TRUE(recv_ == expected) << "start " << start << " in mode " << name(request_.progress());
  }
  void run(int start) {
    run(start, [] {});
  }

 private:
  static int value(int source, int target, int start, std::size_t i) {
    return source * 100000007 + target * 1000003 + start * 10007 + static_cast<int>(i);
  }

  std::size_t block_;
  Comm comm_;
  std::vector<int> send_ = std::vector<int>(block_ * static_cast<std::size_t>(world_size()));
  std::vector<int> recv_ = std::vector<int>(send_.size());
  Request request_;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
/// A mode has its turns.
bool compares_modes(const std::string& told) { return has(told, ", in the background: "); }

class LearningProgress : public ::testing::Test {
 protected:
  void SetUp() override {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "needs MPI_THREAD_MULTIPLE";
    if (automatic == ProgressMode::async) GTEST_SKIP() << "here auto is async, and inline is not tried";
  }
  /// What a rank gets that asks for nothing, and the other one.
  const ProgressMode automatic = granted_progress(ProgressMode::automatic);
  const ProgressMode other = ProgressMode::async;
};

TEST_F(LearningProgress, BothModesTakeTurnsWithRightDataAtEveryStart) {
  const KeptFindings file;
  Alltoall example({.learn = "auto"});
  EXPECT_TRUE(compares_modes(example.told())) << example.told();
  EXPECT_TRUE(has(example.told(), "measured from the start to the end of the wait")) << example.told();
  EXPECT_EQ(example.request().progress(), automatic) << "as without learning";
  std::set<ProgressMode> modes;
  for (int start = 0; start < kStarts; ++start) {
    example.run(start);
    modes.insert(example.request().progress());
    if (start < 100 && start % 6 == 0)  // never one that may have to wait for a decision, and is held by another then
      expect_alike(static_cast<int>(example.request().progress()), "start " + std::to_string(start));
  }
  EXPECT_EQ(modes, (std::set{automatic, other}));
  EXPECT_TRUE(has(example.told(), "learned: the fastest of ")) << example.told();
  expect_alike(static_cast<int>(example.request().progress()), "winner");
  if (world_rank() == 0) {
    const learning::LearnedPlans plans = file.plans();
    ASSERT_EQ(plans.size(), 1U);
    const learning::NamedContender winner = learning::named_contender(plans.begin()->second);
    EXPECT_EQ(example.request().algorithm(), asked_plan(winner.plan).algorithm);
    EXPECT_EQ(example.request().progress(), winner.progress == ProgressMode::automatic ? automatic : winner.progress)
        << plans.begin()->second;
  }
}

/// Also of those that are in the mode that would be chosen.
TEST_F(LearningProgress, WhatIsComputedMeanwhileCounts) {
  Alltoall example({.learn = "4"});
  int start = 0;
  for (; has(example.told(), "measured not yet"); ++start) {
    ASSERT_LT(start, kStarts);
    example.run(start, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  }
  const std::string told = example.told();
  constexpr std::string_view kBefore = ", measured ";
  int lines = 0;
  for (std::size_t place = told.find(kBefore); place != std::string::npos; place = told.find(kBefore, place + 1)) {
    EXPECT_GE(std::stol(told.substr(place + kBefore.size())), 1000000) << told;
    ++lines;
  }
  EXPECT_GT(lines, 1) << told;
}

TEST_F(LearningProgress, NoneIsTriedWhereOneRankAsksForAMode) {
  for (const ProgressMode mode : {ProgressMode::inlined, ProgressMode::workers, ProgressMode::async}) {
    for (int asks = 0; asks <= world_size(); ++asks) {
      Options options{.learn = "4"};
      if (asks == world_rank() || asks == world_size()) options.progress = mode;
      Alltoall of_call(options);
      EXPECT_FALSE(compares_modes(of_call.told())) << of_call.told();
      EXPECT_FALSE(has(of_call.told(), "measured from the start")) << of_call.told();
      for (int start = 0; start < 30; ++start) {
        of_call.run(start);
        if (options.progress == mode) {
          EXPECT_EQ(of_call.request().progress(), mode);
        }
      }
      const Alltoall of_comm({}, options);
      EXPECT_FALSE(compares_modes(of_comm.told())) << of_comm.told();
    }
  }
  EXPECT_TRUE(compares_modes(Alltoall({.progress = ProgressMode::automatic, .learn = "4"}).told()));
}

/// Rank 0 alone has the file. What cannot be had is not taken from it.
TEST_F(LearningProgress, ALaterOneBeginsInTheModeThatIsKnown) {
  constexpr std::size_t kBlock = 4000;  // a problem of which this run has found out nothing yet
  const KeptFindings file;
  {
    Alltoall example({.learn = "4"}, {}, kBlock);
    for (int start = 0; start < kStarts; ++start) example.run(start);
  }
  std::string problem;
  std::string plan;
  if (world_rank() == 0) {
    const learning::LearnedPlans plans = file.plans();
    ASSERT_EQ(plans.size(), 1U);
    problem = plans.begin()->first;
    plan = learning::named_contender(plans.begin()->second).plan;
    EXPECT_TRUE(has(problem, std::string(", RONDO_PROGRESS=") + name(automatic) + " or " + name(other))) << problem;
  }
  const auto keep = [&](const std::string& more) {
    if (world_rank() == 0) learning::keep_learned_plan(problem, plan + more);
  };
  for (const ProgressMode mode : {automatic, other}) {
    const std::string more = mode == other ? std::string(", RONDO_PROGRESS=") + name(other) : std::string();
    keep(more);
    Alltoall later({.learn = "4"}, {}, kBlock);
    EXPECT_TRUE(has(later.told(), "learned before: ")) << later.told();
    EXPECT_TRUE(has(later.told(), more + " is the fastest")) << later.told();
    for (int start = 0; start < 30; ++start) {
      later.run(start);
      EXPECT_EQ(later.request().progress(), mode);
    }
  }
  for (const ProgressMode mode : {automatic, ProgressMode::workers}) {
    keep(std::string(", RONDO_PROGRESS=") + name(mode));
    EXPECT_TRUE(compares_modes(Alltoall({.learn = "4"}, {}, kBlock).told()));
  }
  // To one that is asked to be in a mode this is another problem.
  keep(std::string(", RONDO_PROGRESS=") + name(other));
  const Alltoall asked({.progress = automatic, .learn = "4"}, {}, kBlock);
  EXPECT_FALSE(has(asked.told(), "learned before: ")) << asked.told();
  if (world_rank() == 0) static_cast<void>(file.plans());  // or MPI_Finalize would write them
}

/// A start whose decision is missing may turn out to be for the other mode. See LearningOperation's of the same name.
TEST_F(LearningProgress, ARankThatIsFarAheadWaitsInItsWait) {
  Comm comm(MPI_COMM_WORLD, Options{.learn = "4"});
  std::vector<int> data(20);
  Request request = comm.bcast_init(data, 0);
  ASSERT_TRUE(compares_modes(request.explain())) << request.explain();
  for (int start = 0; start < 300; ++start) {
    std::ranges::fill(data, world_rank() == 0 ? start : -1);
    if (world_rank() != 0) {
      int number = -1;
      MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(number, start);
    }
    request.start();
    if (world_rank() == 0) {
      for (int to = 1; to < world_size(); ++to) MPI_Send(&start, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
    } else if (start < 40 && start % 4 == 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    request.wait();
    EXPECT_EQ(data, std::vector<int>(20, start));
  }
  EXPECT_TRUE(world_rank() != 0 || has(request.explain(), "ranks far behind")) << request.explain();
}

/// Their functions run on no thread that the user does not know of.
TEST_F(LearningProgress, OwnCollectivesWithFunctionsKeepTheirMode) {
  for (const bool computes : {false, true}) {
    const auto lower = [computes](rondo::ScheduleBuilder& build, int rank, int size) {
      build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 4), build.recv_block(0, 4));
      if (computes && rank == size - 1)
        build.compute(
            {}, build.recv_block(4, 4), [](const ComputeBlocks&) {}, "nothing");
    };
    const auto predict = [](const rondo::Machine&, int) { return 100.0; };
    OwnCollective shift(MPI_COMM_WORLD, "shift",
                        std::vector<OwnAlgorithm>{{"one", lower, predict}, {"other", lower, predict}}, {.learn = "4"});
    int sent = world_rank();
    std::vector<int> received(2);
    Request request = shift.init(&sent, received.data());
    EXPECT_EQ(compares_modes(request.explain()), !computes) << request.explain();
    std::set<ProgressMode> modes;
    for (int start = 0; start < 60; ++start) {
      sent = world_rank() * 100 + start;
      request.start();
      request.wait();
      EXPECT_EQ(received.front(), (world_rank() + world_size() - 1) % world_size() * 100 + start);
      modes.insert(request.progress());
    }
    EXPECT_EQ(modes.size(), computes ? 1U : 2U);
  }
}

}  // namespace
}  // namespace rondo::internal::learning_progress_test
