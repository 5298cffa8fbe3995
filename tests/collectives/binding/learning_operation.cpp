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
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
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

bool is_decided(const Request& request) { return request.explain().find("learned: ") != std::string::npos; }

/// When it is decided: how often its two fastest were compared again.
int later_looks(const Request& request) {
  constexpr std::string_view kBefore = "looks again: ";
  const std::string told = request.explain();
  const std::size_t place = told.find(kBefore);
  return place == std::string::npos ? 0 : std::stoi(told.substr(place + kBefore.size()));
}

/// More starts than come before a later look is decided, where a disturbed one took the second for ten times slower.
constexpr int kLongestPause = 1500;

/// Past the third look; returns the number of starts.
int run_until_decided(Example& example) {
  int start = 0;
  for (; !is_decided(example.request()); ++start) {
    EXPECT_LT(start, 10000);
    example.fill(start);
    example.request().start();
    example.request().wait();
    example.check(start);
  }
  return start;
}

/// Both that are left are started, with right data, and in any order beside another operation.
TEST(LearningOperation, TheTwoFastestAreComparedAgain) {
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

TEST(LearningOperation, NothingIsComparedAgainWhereItIsNotAskedTo) {
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

/// What takes ten times as long from some start on is not started any more soon, and a later run knows.
TEST(LearningOperation, AMachineThatChangesIsNoticed) {
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

/// When it has decided, it is, across later looks.
TEST(LearningOperation, IsStartedInsideAFunctionWhenItHasDecided) {
  const std::unique_ptr<Example> example = examples()[1].second({.learn = "4", .learn_again = "100"});
  int start = run_until_decided(*example);
  OwnCollective computing(MPI_COMM_WORLD, "computing", [&](rondo::ScheduleBuilder& build, int, int) {
    build.compute(
        {}, build.recv_block(0, 4), [&](const ComputeBlocks&) { example->request().start(); }, "starter");
  });
  int word = 0;
  std::set<std::string> algorithms;
  for (const int end = start + kLongestPause; start < end && later_looks(example->request()) < 4; ++start) {
    example->fill(start);
    computing.run(nullptr, &word);
    example->request().wait();
    example->check(start);
    algorithms.insert(example->request().algorithm());
  }
  EXPECT_EQ(algorithms.size(), 2U) << example->request().explain();
}

/// Where a decision is missing, as other ranks are far behind, a function cannot wait for it; outside it can be had.
TEST(LearningOperation, ARankThatIsFarAheadIsNotStartedInsideAFunction) {
  int sent = 0;
  int received = 0;
  const auto from_first = [](rondo::ScheduleBuilder& build, int rank, int size) {
    if (rank != 0) build.receive(0, build.recv_block(0, 4));
    for (int to = 1; rank == 0 && to < size; ++to) build.send(to, build.send_block(0, 4));
  };
  const auto predict = [](const rondo::Machine&, int) { return 100.0; };
  OwnCollective send(MPI_COMM_WORLD, "from-first",
                     std::vector<OwnAlgorithm>{{"one", from_first, predict}, {"other", from_first, predict}},
                     {.shm = SharedMemory::off, .learn = "4", .learn_again = "100"});
  Request request = send.init(&sent, &received);
  int start = 0;
  const auto run = [&] {
    sent = start;
    request.start();
    request.wait();
    EXPECT_EQ(rank_here() == 0 ? start : received, start);
    ++start;
  };
  while (!is_decided(request)) {
    run();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int made = start;
  if (rank_here() == 0) {
    OwnCollective computing(MPI_COMM_SELF, "computing", [&](rondo::ScheduleBuilder& build, int, int) {
      build.compute(
          {}, build.recv_block(0, 4), [&](const ComputeBlocks&) { request.start(); }, "starter");
    });
    std::string refused;
    for (int word = 0; refused.empty() && start < made + kLongestPause; ++start) {
      sent = start;
      try {
        computing.run(nullptr, &word);
      } catch (const Error& error) {
        refused = error.what();
        break;
      }
      request.wait();
    }
    EXPECT_NE(refused.find("it waits for times of ranks that are far behind"), std::string::npos) << refused;
    sent = start;
    request.start();
    made = ++start;
  }
  MPI_Bcast(&made, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank_here() == 0) request.wait();
  while (start < made + 200) run();
  EXPECT_NE(request.explain().find(rank_here() == 0 ? "ranks far behind: " : "looks again: "), std::string::npos)
      << request.explain();
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
