// Persistent operations that learn: right data at every start, and one algorithm on all ranks.
#include "collectives/binding/learning_operation.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/learning/learned_file.hpp"
#include "tests/collectives/binding/learning_examples.hpp"
#include "tests/support/kept_findings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::learning_operation_test {
namespace {

using learning_examples::Example;
using learning_examples::examples;
using learning_examples::expect_alike;
using learning_examples::kStarts;
using learning_examples::learns;
using learning_examples::of;
using learning_examples::rank_here;

/// Several candidates have their turns, and one is left, the same everywhere.
TEST(LearningOperation, EndsInOneAlgorithmWithRightDataAtEveryStart) {
  for (const auto& [name, make] : examples()) {
    const std::unique_ptr<Example> example = make({.learn = "auto"});
    Request& request = example->request();
    const bool learning = learns(request);
    // Trees of two ranks are all the same, and so are some halos.
    EXPECT_TRUE(learning || name == "broadcast" || name == "halo") << name << '\n' << request.explain();
    expect_alike(learning ? "learns" : "does not learn", name);
    std::string algorithms;
    for (int start = 0; start < kStarts; ++start) {
      example->fill(start);
      request.start();
      if (start % 3 == 0) {
        while (!request.test()) std::this_thread::yield();
      } else {
        request.wait();
      }
      example->check(start);
      if (start < 100 && start % 10 == 0) expect_alike(request.algorithm(), name + ", start " + std::to_string(start));
    }
    EXPECT_EQ(request.explain().find("learned: the fastest of") != std::string::npos, learning) << request.explain();
    expect_alike(request.algorithm(), name);
  }
}

TEST(LearningOperation, IsProvedForEachCandidate) {
  for (const auto& [name, make] : examples()) {
    const std::unique_ptr<Example> example = make({.learn = "auto", .check = true});
    example->fill(1);
    example->request().start();
    example->request().wait();
    example->check(1);
  }
}

/// Two operations at once, and ranks that start them in different order and pause.
TEST(LearningOperation, SeveralLearnBesideEachOtherInAnyOrder) {
  const std::unique_ptr<Example> one = examples()[0].second({.learn = "4"});
  const std::unique_ptr<Example> other = examples()[1].second({.learn = "4"});
  std::mt19937 random(static_cast<unsigned>(rank_here()));
  for (int start = 0; start < 120; ++start) {
    one->fill(start);
    other->fill(start);
    Example& first = random() % 2 == 0 ? *one : *other;
    Example& second = &first == one.get() ? *other : *one;
    first.request().start();
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    second.request().start();
    one->request().wait();
    other->request().wait();
    one->check(start);
    other->check(start);
  }
}

/// A start for which a decision is missing, as the other ranks are late, does not wait: its wait does.
TEST(LearningOperation, ARankThatIsFarAheadWaitsInItsWait) {
  const std::unique_ptr<Example> example = examples()[2].second({.learn = "4"});
  const int p = world_size();
  if (!learns(example->request())) GTEST_SKIP() << "nothing to learn";
  bool asked = false;
  for (int start = 0; start < 300; ++start) {
    example->fill(start);
    // What rank 0 does between a start and a wait, the others wait for, before they start: a start that waited for them
    // would never end.
    if (rank_here() != 0) {
      int number = -1;
      MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(number, start);
    }
    example->request().start();
    if (rank_here() == 0) {
      if (start == 40) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (int to = 1; to < p; ++to) MPI_Send(&start, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
    } else if (rank_here() == p - 1 && start < 40 && start % 4 == 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    if (rank_here() != 0 && (start > 20 || start % 2 == 0)) {
      // Block by block.
      int blocks = 0;
      while (example->request().wait_any_block()) ++blocks;
      EXPECT_EQ(blocks, 1) << "start " << start;
      asked = true;
    }
    example->request().wait();
    example->check(start);
  }
  EXPECT_EQ(asked, rank_here() != 0);
  if (rank_here() == 0) {
    const std::string told = example->request().explain();
    EXPECT_NE(told.find("ranks far behind"), std::string::npos) << told;
  }
}

/// While times are being added up.
TEST(LearningOperation, MayBeFreedAtAnyTime) {
  // And in later looks.
  for (const int starts : {0, 6, 12, 13, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 30, 40, 800, 820, 840, 860, 880}) {
    const std::unique_ptr<Example> example = examples()[1].second({.learn = "4", .learn_again = "100"});
    for (int start = 0; start < starts; ++start) {
      example->fill(start);
      example->request().start();
      example->request().wait();
      example->check(start);
    }
  }
}

/// Columns of a matrix to the next process, too long for shared memory: one algorithm, whose messages have two forms.
class Columns final : public Example {
 public:
  explicit Columns(const Options& options) {
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    MPI_Type_vector(kRows, kSent, kColumns, MPI_INT, &columns);
    columns_ = Datatype(columns);
    columns_.commit();
    const SendBlock send{send_.data(), 1, columns_.native()};
    const RecvBlock recv{recv_.data() + kFirst, 1, columns_.native()};
    request_ = ring_.alltoallw_init({&send, 1}, {&recv, 1}, options);
  }
  Request& request() override { return request_; }
  void fill(int start) override {
    std::iota(send_.begin(), send_.end(), first_value(rank_here(), start));
    recv_.assign(recv_.size(), -1);
  }
  void check(int start) override {
    const int from = (rank_here() + world_size() - 1) % world_size();
    std::vector<int> expected(recv_.size(), -1);
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto begin = static_cast<std::ptrdiff_t>(row * kColumns);
      std::iota(expected.begin() + begin + kFirst, expected.begin() + begin + kFirst + kSent,
                first_value(from, start) + static_cast<int>(begin));
    }
    EXPECT_TRUE(recv_ == expected) << "start " << start;
  }

 private:
  static constexpr std::size_t kRows = 1100;
  static constexpr std::size_t kColumns = 100;
  static constexpr int kSent = 64;
  static constexpr int kFirst = 30;
  static int first_value(int rank, int start) { return rank * 10000000 + start * 1000; }
  CartComm ring_{MPI_COMM_WORLD, {world_size()}, Neighborhood{{1}}};
  Datatype columns_;
  std::vector<int> send_ = std::vector<int>(kRows * kColumns);
  std::vector<int> recv_ = std::vector<int>(kRows * kColumns);
  Request request_;
};

TEST(LearningOperation, FormsOfMessagesTakeTurns) {
  const KeptFindings file;
  const std::unique_ptr<Example> example = of<Columns>()({.learn = "4"});
  if (!learns(example->request())) {
#ifdef OPEN_MPI
    EXPECT_NE(world_size(), 2) << example->request().explain();
#endif
    GTEST_SKIP() << "one form takes much longer by the model";
  }
  const std::string told = example->request().explain();
  EXPECT_NE(told.find("direct, messages "), std::string::npos) << told;
  for (int start = 0; start < kStarts; ++start) {
    const bool looked_at = start < 60 || start % 10 == 0;
    if (looked_at) example->fill(start);
    example->request().start();
    example->request().wait();
    if (looked_at) example->check(start);
  }
  const std::string learned = example->request().explain();
  expect_alike(learned.substr(learned.find("learned: ")), "what was learned");
  // The user's own word counts more.
  EXPECT_FALSE(learns(of<Columns>()({.messages = MessageForm::staged, .learn = "4"})->request()));

  std::string problem;
  if (rank_here() == 0) {
    const learning::LearnedPlans plans = file.plans();
    ASSERT_EQ(plans.size(), 1U);
    problem = plans.begin()->first;
    EXPECT_NE(problem.find("pieces"), std::string::npos) << problem;
  }
  for (const char* form : {"staged", "datatype"}) {
    const std::string known = std::string("direct: direct, RONDO_MESSAGES=") + form;
    if (rank_here() == 0) learning::keep_learned_plan(problem, known);
    const std::unique_ptr<Example> later = of<Columns>()({.learn = "4"});
    const std::string says = later->request().explain();
    EXPECT_NE(says.find("learned before: " + known), std::string::npos) << says;
    later->fill(1);
    later->request().start();
    later->request().wait();
    later->check(1);
  }
}

/// Results would change in their last bits from one start to the next.
TEST(LearningOperation, SumsOfFloatingPointNumbersLearnNothing) {
  Comm comm(MPI_COMM_WORLD, Options{.learn = "4"});
  const std::vector<double> numbers(4096, 0.1);
  std::vector<double> sums(numbers);
  EXPECT_FALSE(learns(comm.allreduce_init(numbers, sums, MPI_SUM)));
  const std::vector<int> integers(4096, 1);
  std::vector<int> whole(integers);
  EXPECT_TRUE(learns(comm.allreduce_init(integers, whole, MPI_SUM)));
}

TEST(LearningOperation, LearnsNothingWhereItIsNotAskedTo) {
  for (const Options& options : {Options{}, Options{.learn = "off"}}) {
    if (options.learn.empty() && std::getenv("RONDO_LEARN") != nullptr) continue;  // it is asked to
    const std::unique_ptr<Example> example = examples()[0].second(options);
    EXPECT_EQ(example->request().explain().find("learn"), std::string::npos);
  }
}

TEST(LearningOperation, RefusesWhatIsNoNumberOfStarts) {
  for (const char* value : {"on", "3", "-1", "100001", "12x"}) {
    EXPECT_THROW(examples()[1].second({.learn = value}), Error) << value;
  }
  for (const char* value : {"on", "99", "-1", "10000001", "12x"}) {
    try {
      examples()[1].second({.learn_again = value});
      ADD_FAILURE() << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_INFO_VALUE);
      EXPECT_NE(std::string(error.what()).find("must be auto, off or a number of starts, at least 100"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace rondo::internal::learning_operation_test
