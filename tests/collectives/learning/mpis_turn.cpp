// Blocking calls that learn whether MPI's own function is the fastest, as the plug-in makes them: right data at every
// call, and one choice on all ranks.
#include "collectives/calls/mpis_turn.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "collectives/blocks/call.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "collectives/operations/dense_collective.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/kept_findings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::mpis_turn_test {
namespace {

/// Past the third look of four candidates.
constexpr int kCalls = 1100;

/// A communicator that learns.
class Learner {
 public:
  explicit Learner(const char* algorithm = "auto") {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    setenv("RONDO_LEARN", "4", 1);
    setenv("RONDO_ALGORITHM", algorithm, 1);
    context_ = DenseContext::ready(comm_, "test");
    unsetenv("RONDO_ALGORITHM");
    unsetenv("RONDO_LEARN");
  }
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  ~Learner() {
    context_.reset();
    MPI_Comm_free(&comm_);
  }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  /// How often it was MPI's.
  [[nodiscard]] int of_mpi() const noexcept { return of_mpi_; }
  /// And how often that was said to be so for good.
  [[nodiscard]] int for_good() const noexcept { return for_good_; }
  void run(const Call& call, const std::function<void()>& by_mpi) {
    MpisTurn mpis;
    run_dense(call, context_, {}, &mpis);
    if (!mpis.has_begun()) return;
    by_mpi();
    mpis.is_over();
    ++of_mpi_;
    for_good_ += mpis.is_for_good() ? 1 : 0;
    EXPECT_TRUE(!mpis.is_for_good() || learned().over());
  }
  void run_without(const Call& call) { run_dense(call, context_); }
  /// What its only problem has learned.
  [[nodiscard]] const learning::LearningCalls& learned() const {
    const auto& all = context_->calls().learning().all();
    EXPECT_EQ(all.size(), 1U);
    return *all.front().second;
  }
  [[nodiscard]] const std::string& problem() const { return context_->calls().learning().all().front().first; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::shared_ptr<DenseContext> context_;
  int of_mpi_ = 0;
  int for_good_ = 0;
};

void expect_alike(int number) {
  int first = number;
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(number, first);
}

/// Nobody sees whether a barrier was one: a function that does nothing is the fastest.
TEST(MpisTurn, WinsWhereItIsTheFastest) {
  const KeptFindings file;
  Learner learner;
  for (int call = 0; call < kCalls; ++call) learner.run(barrier_call("barrier"), [] {});
  EXPECT_TRUE(learner.learned().over());
  EXPECT_NE(learner.learned().told().find("MPI's: not predicted, measured "), std::string::npos);
  const int before = learner.of_mpi();
  expect_alike(before);
  EXPECT_GT(before, kCalls / 2);
  for (int call = 0; call < 10; ++call) learner.run(barrier_call("barrier"), [] {});
  EXPECT_EQ(learner.of_mpi(), before + 10);
  EXPECT_GE(learner.for_good(), 10);
  if (world_rank() == 0) {
    EXPECT_EQ(learning::learned_plan(learner.problem()), "MPI's");
  }
  // Known from the beginning; but for the calls before that.
  Learner another;
  for (int call = 0; call < 100; ++call) another.run(barrier_call("barrier"), [] {});
  EXPECT_EQ(another.of_mpi(), 100 - 24);
}

/// Not for those who have no such function, and not where an algorithm was asked for.
TEST(MpisTurn, ComesOnlyWhereItMay) {
  const int count = 500;
  const MPI_Datatype type = MPI_INT;
  std::vector<int> sent(count, 1);
  std::vector<int> received(count);
  const Call call = reduce_call("allreduce", sent.data(), received.data(), count, type, MPI_SUM);
  Learner without;
  for (int number = 0; number < 100; ++number) without.run_without(call);
  EXPECT_TRUE(without.learned().told().starts_with("learn")) << without.learned().told();
  EXPECT_EQ(without.learned().told().find("MPI's"), std::string::npos);
  EXPECT_EQ(received.front(), world_size());
  Learner asked("direct");
  for (int number = 0; number < 100; ++number) asked.run(call, [] {});
  EXPECT_EQ(asked.of_mpi(), 0);
}

/// Buffers make no difference to what is known.
TEST(MpisTurn, IsForGoodWhateverBuffersThereAre) {
  Learner learner;
  const int count = 200'000;  // which takes long
  std::vector<char> bytes(kCalls + 100 + count);
  const MPI_Datatype type = MPI_CHAR;
  // Nobody looks at the data: a function that does nothing is the fastest.
  const auto run = [&](int place) {
    learner.run(broadcast_call("bcast", &bytes[static_cast<std::size_t>(place)], count, type, 0, world_rank()), [] {});
  };
  for (int call = 0; call < kCalls; ++call) run(call);
  ASSERT_TRUE(learner.learned().over());
  const int before = learner.for_good();
  for (int call = 0; call < 100; ++call) run(kCalls + call);
  EXPECT_EQ(learner.for_good(), before + 100);
}

/// Where other programs leave no barrier in a tenth of the time, nothing is said of who wins.
TEST(MpisTurn, HasItsTurnsAndLosesWhereItIsSlow) {
  constexpr std::chrono::milliseconds kSlow{20};
  Learner learner;
  const auto slow = [&] { std::this_thread::sleep_for(kSlow); };
  const auto since = std::chrono::steady_clock::now();
  for (int call = 0; call < kCalls; ++call) learner.run(barrier_call("barrier"), slow);
  const auto of_rondo = std::chrono::steady_clock::now() - since - learner.of_mpi() * kSlow;
  int quiet = of_rondo / kCalls < kSlow / 10 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &quiet, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  EXPECT_TRUE(learner.learned().over());
  const int turns = learner.of_mpi();
  EXPECT_GE(turns, learning::Turns::kTurn);
  expect_alike(turns);
  if (quiet == 0) return;
  EXPECT_LT(turns, kCalls / 4);
  for (int call = 0; call < 10; ++call) learner.run(barrier_call("barrier"), slow);
  EXPECT_EQ(learner.of_mpi(), turns);
}

/// The same arguments again and again, and others each time.
TEST(MpisTurn, DataAreRightAtEveryCall) {
  for (const bool same : {true, false}) {
    Learner learner;
    const int p = world_size();
    constexpr int kCount = 1000;
    std::vector<int> sent(kCount + kCalls);
    std::vector<int> received(sent.size());
    const MPI_Datatype type = MPI_INT;
    const int count = kCount;
    for (int call = 0; call < kCalls; ++call) {
      int* const from = sent.data() + (same ? 0 : call);
      int* const to = received.data() + (same ? 0 : call);
      for (int i = 0; i < kCount; ++i) {
        from[i] = world_rank() * 1'000'000 + call * 100 + i;
        to[i] = -1;
      }
      learner.run(reduce_call("allreduce", from, to, count, type, MPI_SUM),
                  [&] { EXPECT_EQ(MPI_Allreduce(from, to, kCount, MPI_INT, MPI_SUM, learner.comm()), MPI_SUCCESS); });
      for (int i = 0; i < kCount; ++i)
        ASSERT_EQ(to[i], p * (p - 1) / 2 * 1'000'000 + p * (call * 100 + i)) << "call " << call << ", element " << i;
    }
    EXPECT_TRUE(learner.learned().over());
    EXPECT_GE(learner.of_mpi(), learning::Turns::kTurn);
    expect_alike(learner.of_mpi());
  }
}

}  // namespace
}  // namespace rondo::internal::mpis_turn_test
