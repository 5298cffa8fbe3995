// Persistent operations that have learned: the two fastest algorithms are compared again, and a later run begins with
// what was found.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "collectives/learning/learned_file.hpp"
#include "collectives/selection/selection.hpp"
#include "tests/collectives/binding/learning_examples.hpp"
#include "tests/support/kept_findings.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::learning_again_test {
namespace {

using learning_examples::Example;
using learning_examples::examples;
using learning_examples::expect_alike;
using learning_examples::is_decided;
using learning_examples::kLongestPause;
using learning_examples::kStarts;
using learning_examples::later_looks;
using learning_examples::learns;
using learning_examples::rank_here;
using learning_examples::run_until_decided;

/// The two fastest algorithms are both started, with right data, and in any order beside another operation.
TEST(LearningAgain, TheTwoFastestAreComparedAgain) {
  std::mt19937 random(static_cast<unsigned>(rank_here()));
  const std::unique_ptr<Example> other = examples()[1].second({.learn = "4", .learn_again = "110"});
  for (const auto& [name, make] : examples()) {
    const std::unique_ptr<Example> example = make({.learn = "4", .learn_again = "100"});
    if (!learns(example->request())) continue;
    int start = run_until_decided(*example);
    EXPECT_EQ(later_looks(example->request()), 0);
    std::set<std::string> algorithms;
    for (const int end = start + kLongestPause; start < end && later_looks(example->request()) < 4; ++start) {
      example->fill(start);
      other->fill(start);
      Example& first = random() % 2 == 0 ? *example : *other;
      Example& second = &first == example.get() ? *other : *example;
      first.request().start();
      if (random() % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      second.request().start();
      example->request().wait();
      other->request().wait();
      example->check(start);
      other->check(start);
      algorithms.insert(example->request().algorithm());
      if (start % 32 == 0) expect_alike(example->request().algorithm(), name + ", start " + std::to_string(start));
    }
    const std::string told = example->request().explain();
    EXPECT_GT(later_looks(example->request()), 0) << told;
    expect_alike(told.substr(told.find("looks again: "), 60), name);
    EXPECT_GT(algorithms.size(), name == "broadcast" ? 0U : 1U) << name << told;
  }
}

TEST(LearningAgain, NothingIsComparedAgainWhereItIsNotAskedTo) {
  const std::unique_ptr<Example> example = examples()[1].second({.learn = "4", .learn_again = "off"});
  int start = run_until_decided(*example);
  const std::string winner = example->request().algorithm();
  for (const int end = start + 300; start < end; ++start) {
    example->fill(start);
    example->request().start();
    example->request().wait();
    EXPECT_EQ(example->request().algorithm(), winner);
    example->check(start);
  }
  EXPECT_EQ(example->request().explain().find("looks again"), std::string::npos) << example->request().explain();
}

/// An allgather of one number, for which each rank is busy for a while first, by the algorithms `one` and `other`.
class Busy {
 public:
  explicit Busy(const Options& options)
      : gather_(MPI_COMM_WORLD, "busy", std::vector{way("one", one_), way("other", other_)}, options),
        request_(gather_.init(mine_.data(), all_.data())) {}
  [[nodiscard]] Request& request() { return request_; }
  void take(std::chrono::microseconds one, std::chrono::microseconds other) {
    one_ = one;
    other_ = other;
  }
  void run(int start) {
    mine_[0] = rank_here() * 10000 + start;
    all_.assign(all_.size(), -1);
    request_.start();
    request_.wait();
    for (int rank = 0; rank < world_size(); ++rank)
      EXPECT_EQ(all_[static_cast<std::size_t>(rank)], rank * 10000 + start) << "start " << start;
  }

 private:
  static OwnAlgorithm way(std::string name, const std::chrono::microseconds& takes) {
    const auto lower = [&takes](rondo::ScheduleBuilder& build, int rank, int size) {
      const auto busy = [&takes](const ComputeBlocks& blocks) {
        const auto until = std::chrono::steady_clock::now() + takes;
        while (std::chrono::steady_clock::now() < until) continue;
        blocks.write<int>(0)[0] = blocks.read<int>(0)[0];
      };
      const Block own = build.recv_block(rank * 4, 4);
      build.compute(build.send_block(0, 4), own, busy, "busy");
      for (int shift = 1; shift < size; ++shift) {
        const int source = (rank + size - shift) % size;
        build.exchange((rank + shift) % size, source, own, build.recv_block(source * 4, 4));
      }
    };
    return {std::move(name), lower, [](const rondo::Machine&, int) { return 100.0; }};
  }

  std::chrono::microseconds one_{};
  std::chrono::microseconds other_{};
  std::vector<int> mine_ = std::vector<int>(1);
  std::vector<int> all_ = std::vector<int>(static_cast<std::size_t>(world_size()));
  OwnCollective gather_;
  Request request_;
};

/// If the fastest algorithm becomes ten times slower, the operation soon starts the other one only, and the file of
/// what was learned has that one.
TEST(LearningAgain, AMachineThatChangesIsNoticed) {
  const KeptFindings file;
  constexpr std::chrono::microseconds kShort(20);
  constexpr std::chrono::microseconds kLong(200);
  Busy busy({.learn = "4", .learn_again = "100"});
  busy.take(kShort, kShort);
  int start = 0;
  for (; !is_decided(busy.request()); ++start) busy.run(start);
  for (int time = 0; time < 2; ++time) {
    busy.run(start++);
    const std::string winner = busy.request().algorithm();
    expect_alike(winner, "winner");
    if (winner == "one")
      busy.take(kLong, kShort);
    else
      busy.take(kShort, kLong);
    const auto changed = [&] {
      return busy.request().explain().find(" " + std::to_string(time + 1) + " changes") != std::string::npos;
    };
    for (const int end = start + 3 * kLongestPause; start < end && !changed(); ++start) busy.run(start);
    EXPECT_TRUE(changed()) << busy.request().explain();
    EXPECT_NE(busy.request().algorithm(), winner);
    if (rank_here() == 0) {
      const learning::LearnedPlans plans = file.plans();
      ASSERT_EQ(plans.size(), 1U);
      EXPECT_NE(plans.begin()->second.find(busy.request().algorithm()), std::string::npos) << plans.begin()->second;
    }
  }
}

/// An operation for the same problem as an earlier one begins with the algorithm that the earlier one has found, on all
/// ranks, though rank 0 alone has the file.
TEST(LearningAgain, ALaterOneBeginsWithWhatIsKnown) {
  const KeptFindings file;
  std::string winner;
  for (int time = 0; time < 2; ++time) {
    const std::unique_ptr<Example> example = examples()[0].second({.learn = "4"});
    EXPECT_EQ(learns(example->request()), time == 0) << example->request().explain();
    for (int start = 0; start < kStarts; ++start) {
      example->fill(start);
      example->request().start();
      example->request().wait();
      if (start == 0 && time == 1) {
        EXPECT_EQ(example->request().algorithm(), winner);
        EXPECT_NE(example->request().explain().find("learned before: "), std::string::npos);
      }
      example->check(start);
    }
    winner = example->request().algorithm();
  }
  if (rank_here() == 0) {
    const learning::LearnedPlans plans = file.plans();
    ASSERT_EQ(plans.size(), 1U);
    EXPECT_EQ(asked_plan(plans.begin()->second).algorithm, winner);
  }
}

}  // namespace
}  // namespace rondo::internal::learning_again_test
