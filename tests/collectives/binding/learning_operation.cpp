// Persistent operations that learn: right data at every start, and one algorithm on all ranks.
#include "collectives/binding/learning_operation.hpp"

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "collectives/learning/learned_file.hpp"
#include "collectives/selection/selection.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/kept_findings.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::learning_operation_test {
namespace {

/// Past the second look.
constexpr int kStarts = 900;

int rank_here() { return world_rank(); }

/// The same text on all ranks.
void expect_alike(const std::string& text, const std::string& what) {
  std::string first(200, ' ');
  first.replace(0, text.size(), text);
  const std::string own = first;
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(own, first) << what;
}

/// One persistent operation with its data.
class Example {
 public:
  virtual ~Example() = default;
  virtual Request& request() = 0;
  virtual void fill(int start) = 0;
  virtual void check(int start) = 0;
};

/// Each process with two others at either side, on a torus in one dimension.
class Alltoall final : public Example {
 public:
  explicit Alltoall(const Options& options) { request_ = ring_.alltoall_init(send_, recv_, kBlock, options); }
  Request& request() override { return request_; }
  void fill(int start) override {
    for (std::size_t i = 0; i < send_.size(); ++i) send_[i] = value(rank_here(), start, i);
    recv_.assign(recv_.size(), -1);
  }
  void check(int start) override {
    for (std::size_t block = 0; block < kOffsets.size(); ++block) {
      const int p = world_size();
      const int from = ((rank_here() - kOffsets[block]) % p + p) % p;
      for (std::size_t i = 0; i < kBlock; ++i) {
        EXPECT_EQ(recv_[block * kBlock + i], value(from, start, block * kBlock + i)) << "start " << start;
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 3;
  static constexpr std::array kOffsets{-2, -1, 1, 2, 3};
  static int value(int rank, int start, std::size_t i) { return rank * 1000000 + start * 100 + static_cast<int>(i); }
  CartComm ring_{MPI_COMM_WORLD, {world_size()}, Neighborhood{{-2}, {-1}, {1}, {2}, {3}}};
  std::vector<int> send_ = std::vector<int>(kBlock * kOffsets.size());
  std::vector<int> recv_ = std::vector<int>(kBlock * kOffsets.size());
  Request request_;
};

class Allreduce final : public Example {
 public:
  explicit Allreduce(const Options& options) { request_ = comm_.allreduce_init(send_, recv_, MPI_SUM, options); }
  Request& request() override { return request_; }
  void fill(int start) override {
    std::iota(send_.begin(), send_.end(), rank_here() * start);
    recv_.assign(recv_.size(), -1);
  }
  void check(int start) override {
    const int p = world_size();
    for (std::size_t i = 0; i < recv_.size(); ++i) {
      EXPECT_EQ(recv_[i], p * (p - 1) / 2 * start + p * static_cast<int>(i)) << "start " << start;
    }
  }

 private:
  Comm comm_{MPI_COMM_WORLD};
  std::vector<int> send_ = std::vector<int>(4096);
  std::vector<int> recv_ = std::vector<int>(4096);
  Request request_;
};

/// From rank 0, which may be far ahead of the others, by trees of any radix.
class Broadcast final : public Example {
 public:
  explicit Broadcast(Options options) {
    options.algorithm = rondo::Algorithm::tree;
    request_ = comm_.bcast_init(data_, 0, options);
  }
  Request& request() override { return request_; }
  void fill(int start) override { data_.assign(data_.size(), rank_here() == 0 ? start : -1); }
  void check(int start) override {
    for (const int value : data_) EXPECT_EQ(value, start);
  }

 private:
  Comm comm_{MPI_COMM_WORLD};
  std::vector<int> data_ = std::vector<int>(20);
  Request request_;
};

class Halo final : public Example {
 public:
  explicit Halo(const Options& options) {
    request_ = halo_init(grid_, HaloArray::of(cells_, {kInside + 2, kInside + 2}, 1), Stencil::box, options);
  }
  Request& request() override { return request_; }
  void fill(int start) override {
    cells_.assign(cells_.size(), -1);
    for (std::size_t row = 1; row <= kInside; ++row) {
      for (std::size_t column = 1; column <= kInside; ++column) cell(row, column) = rank_here() * 10000 + start;
    }
  }
  void check(int start) override {
    const int p = world_size();
    const int before = (rank_here() + p - 1) % p;
    const int after = (rank_here() + 1) % p;
    for (std::size_t column = 0; column < kInside + 2; ++column) {
      EXPECT_EQ(cell(0, column), before * 10000 + start) << "start " << start;
      EXPECT_EQ(cell(kInside + 1, column), after * 10000 + start) << "start " << start;
    }
  }

 private:
  static constexpr std::size_t kInside = 4;
  int& cell(std::size_t row, std::size_t column) { return cells_[row * (kInside + 2) + column]; }
  CartComm grid_{MPI_COMM_WORLD, {world_size(), 1}, moore(2, 1)};
  std::vector<int> cells_ = std::vector<int>((kInside + 2) * (kInside + 2));
  Request request_;
};

bool learns(const Request& request) { return request.explain().find("candidates take turns") != std::string::npos; }

using Make = std::function<std::unique_ptr<Example>(const Options&)>;

template <typename One>
Make of() {
  return [](const Options& options) { return std::make_unique<One>(options); };
}

const std::vector<std::pair<std::string, Make>>& examples() {
  static const std::vector<std::pair<std::string, Make>> all{{"alltoall", of<Alltoall>()},
                                                             {"allreduce", of<Allreduce>()},
                                                             {"broadcast", of<Broadcast>()},
                                                             {"halo", of<Halo>()}};
  return all;
}

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
  for (const int starts : {0, 6, 12, 13, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 30, 40}) {
    const std::unique_ptr<Example> example = examples()[1].second({.learn = "4"});
    for (int start = 0; start < starts; ++start) {
      example->fill(start);
      example->request().start();
      example->request().wait();
      example->check(start);
    }
  }
}

/// What was found out is known to the next operation of that kind, on all ranks, though rank 0 alone has the file.
TEST(LearningOperation, ALaterOneBeginsWithWhatIsKnown) {
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
    GTEST_SKIP() << "one form takes twice as long by the model";
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
    const std::unique_ptr<Example> example = examples()[0].second(options);
    EXPECT_EQ(example->request().explain().find("learn"), std::string::npos);
  }
}

/// Where nothing may be waited for, and nothing freed.
TEST(LearningOperation, IsNotStartedInsideAFunction) {
  const std::unique_ptr<Example> example = examples()[1].second({.learn = "4"});
  OwnCollective computing(MPI_COMM_WORLD, "computing", [&](rondo::ScheduleBuilder& build, int, int) {
    build.compute(
        {}, build.recv_block(0, 4), [&](const ComputeBlocks&) { example->request().start(); }, "starter");
  });
  int word = 0;
  try {
    computing.run(nullptr, &word);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
    EXPECT_NE(std::string(error.what()).find("it learns (rondo_learn)"), std::string::npos) << error.what();
  }
  // It is as it was.
  for (int start = 0; start < 40; ++start) {
    example->fill(start);
    example->request().start();
    example->request().wait();
    example->check(start);
  }
}

TEST(LearningOperation, RefusesWhatIsNoNumberOfStarts) {
  for (const char* value : {"on", "3", "-1", "100001", "12x"}) {
    EXPECT_THROW(examples()[1].second({.learn = value}), Error) << value;
  }
}

}  // namespace
}  // namespace rondo::internal::learning_operation_test
