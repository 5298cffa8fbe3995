// Nonblocking calls of collectives of the user's own that learn: right data at every call, however many are under way
// and however far ranks are apart.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "collectives/communicators/dense_context.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/operations/alike_on_all_ranks.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::own_nonblocking_learning_test {
namespace {

using Build = rondo::ScheduleBuilder;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int kCalls = 700;

/// Of all ranks, while it lives.
class FreshComm {
 public:
  FreshComm() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  FreshComm(const FreshComm&) = delete;
  FreshComm& operator=(const FreshComm&) = delete;
  ~FreshComm() { MPI_Comm_free(&comm_); }
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

const learning::LearningProblems& learned_on(MPI_Comm comm) {
  return DenseContext::ready(comm, "a test")->calls().learning();
}

/// What the only problem on it has learned.
const learning::LearningCalls& only_one_on(MPI_Comm comm) {
  EXPECT_EQ(learned_on(comm).all().size(), 1U);
  return *learned_on(comm).all().front().second;
}

/// An allgather of one number by one of two algorithms, of which each has its own number, in its own places.
Lowering gather_at(int place, microseconds busy) {
  return [place, busy](Build& build, int rank, int size) {
    const auto copy = [busy](const ComputeBlocks& blocks) {
      const auto until = std::chrono::steady_clock::now() + busy;
      while (std::chrono::steady_clock::now() < until) continue;
      blocks.write<int>(0)[0] = blocks.read<int>(0)[0];
    };
    const Block own = build.recv_block((place * size + rank) * 4, 4);
    build.compute(build.send_block(place * 4, 4), own, copy, "copy");
    for (int shift = 1; shift < size; ++shift) {
      const int source = (rank + size - shift) % size;
      build.exchange((rank + shift) % size, source, own, build.recv_block((place * size + source) * 4, 4));
    }
  };
}

/// "slow" is predicted to be the fastest, and is not.
OwnCollective make_gather(MPI_Comm comm, const char* name = "gather", const Options& options = {.learn = "4"}) {
  const std::vector<OwnAlgorithm> two{
      {"slow", gather_at(0, microseconds(100)), [](const rondo::Machine&, int) { return 100.0; }},
      {"fast", gather_at(1, microseconds(0)), [](const rondo::Machine&, int) { return 150.0; }}};
  return {comm, name, two, options};
}

/// The buffers of a call.
class Numbers {
 public:
  explicit Numbers(int call)
      : call_(call), sent_{value(0, world_rank()), value(1, world_rank())}, received_(2 * p(), kNothing) {}
  [[nodiscard]] const int* sent() const { return sent_.data(); }
  [[nodiscard]] int* received() { return received_.data(); }
  /// The letter of the algorithm that it was for, which is the same where the numbers come from.
  [[nodiscard]] char check() const {
    const std::size_t place = received_.front() != kNothing ? 0 : 1;
    for (std::size_t rank = 0; rank < p(); ++rank) {
      EXPECT_EQ(received_[place * p() + rank], value(place, static_cast<int>(rank))) << "call " << call_;
      EXPECT_EQ(received_[(1 - place) * p() + rank], kNothing) << "call " << call_;
    }
    return place == 0 ? 's' : 'f';
  }

 private:
  static constexpr int kNothing = -1;
  static std::size_t p() { return static_cast<std::size_t>(world_size()); }
  [[nodiscard]] int value(std::size_t place, int rank) const {
    return (rank * 100000 + call_) * 2 + static_cast<int>(place);
  }

  int call_;
  std::array<int, 2> sent_;
  std::vector<int> received_;
};

/// One that is under way.
struct Call {
  Call(OwnCollective& gather, int call) : numbers(call), request(gather.start(numbers.sent(), numbers.received())) {}
  [[nodiscard]] char end() {
    request.wait();
    return numbers.check();
  }

  Numbers numbers;
  Request request;
};

/// Several under way.
class Calls {
 public:
  explicit Calls(OwnCollective gather) : gather_(std::move(gather)) {}
  void start() { calls_.push_back(std::make_unique<Call>(*gather_, number_++)); }
  [[nodiscard]] Request& last() { return calls_.back()->request; }
  [[nodiscard]] std::size_t under_way() const { return calls_.size(); }
  void end_first() {
    turns_ += calls_.front()->end();
    calls_.pop_front();
  }
  void end_all() {
    while (!calls_.empty()) end_first();
  }
  /// `at_once`: at a time.
  void make(int count, std::size_t at_once = 1) {
    for (int call = 0; call < count; ++call) {
      start();
      if (calls_.size() == at_once) end_all();
    }
    end_all();
  }
  void run() {
    Numbers numbers(number_++);
    gather_->run(numbers.sent(), numbers.received());
    static_cast<void>(numbers.check());
  }
  void forget_collective() { gather_.reset(); }
  /// A letter for each nonblocking call that has ended.
  [[nodiscard]] const std::string& turns() const { return turns_; }

 private:
  std::optional<OwnCollective> gather_;
  std::deque<std::unique_ptr<Call>> calls_;
  int number_ = 0;
  std::string turns_;
};

/// In the end one algorithm runs, the same on all ranks.
TEST(OwnNonblockingLearning, DataAreRightAtEveryCallAndAllRanksEndAlike) {
  for (const std::size_t at_once : {1U, 3U, 40U}) {
    const FreshComm comm;
    Calls calls(make_gather(comm));
    calls.make(24);
    EXPECT_EQ(calls.turns(), std::string(24, 's'));
    for (int round = 0; round < 20 && !is_over_everywhere(only_one_on(comm).over()); ++round) calls.make(120, at_once);
    ASSERT_TRUE(is_over_everywhere(only_one_on(comm).over()));
    const std::size_t before = calls.turns().size();
    calls.start();
    const std::string algorithm = calls.last().algorithm();
    const std::string explained = calls.last().explain();
    calls.make(39, 40);
    EXPECT_EQ(calls.turns().substr(before), std::string(40, algorithm.front()));
    if (at_once == 1) {
      EXPECT_NE(calls.turns().find('f'), std::string::npos);
      EXPECT_NE(explained.find("learned: the fastest of 2 that took turns"), std::string::npos) << explained;
    }
    expect_alike(calls.turns());
  }
}

/// A call for which a decision is missing, as the other ranks are late, does not wait, nor do those after it.
TEST(OwnNonblockingLearning, ARankThatIsFarAheadWaitsInItsWaits) {
  constexpr int kAhead = 120;  // past the answer, and past the first look
  const FreshComm comm;
  Calls calls(make_gather(comm));
  for (int round = 0; round < 3; ++round) {
    // The others wait for all of rank 0's calls before they make theirs: a call that waited for them would never end.
    if (world_rank() != 0) MPI_Recv(nullptr, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int call = 0; call < kAhead; ++call) calls.start();
    if (world_rank() == 0) {
      if (round == 0) {
        EXPECT_EQ(calls.last().algorithm(), "to be chosen");
        EXPECT_TRUE(calls.last().explain().starts_with("to be chosen: ")) << calls.last().explain();
      }
      for (int to = 1; to < world_size(); ++to) MPI_Send(nullptr, 0, MPI_INT, to, 5, MPI_COMM_WORLD);
    }
    calls.end_all();
  }
  expect_alike(calls.turns());
}

/// Beside blocking calls of the same collective, which are another problem, and of another one.
TEST(OwnNonblockingLearning, StandsBesideOtherCalls) {
  const FreshComm comm;
  Calls one(make_gather(comm, "one"));
  Calls other(make_gather(comm, "other", {.learn = "auto"}));
  std::mt19937 order(1);
  std::mt19937 own(static_cast<unsigned>(world_rank()) + 2);
  for (int call = 0; call < kCalls; ++call) {
    if (own() % 64 == 0) std::this_thread::sleep_for(milliseconds(1));
    switch (order() % 8) {
      case 0:
        one.run();
        break;
      case 1:
      case 2:
      case 3:
        other.start();
        break;
      default:
        one.start();
    }
    const std::size_t most = own() % 20;
    while (one.under_way() > most) one.end_first();
    while (other.under_way() > most) other.end_first();
  }
  one.end_all();
  other.end_all();
  EXPECT_EQ(learned_on(comm).all().size(), 3U);
  expect_alike(one.turns());
  expect_alike(other.turns());
}

/// As an application may make them anew for each use, and be done with one before its calls are.
TEST(OwnNonblockingLearning, GoesOnInTheNextCollectiveOfItsKind) {
  const FreshComm comm;
  std::string turns;
  for (int use = 0; use < 30; ++use) {
    Calls calls(make_gather(comm));
    for (int call = 0; call < 20; ++call) calls.start();
    calls.forget_collective();
    calls.end_all();
    turns += calls.turns();
  }
  EXPECT_EQ(learned_on(comm).all().size(), 1U);
  expect_alike(turns);
}

/// While the ranks ask, while times are added up, and while calls are late.
TEST(OwnNonblockingLearning, MayGoAtAnyTime) {
  for (const int count : {1, 2, 3, 24, 25, 47, 48, 49, 51, 52, 53, 72, 76, 90}) {
    const FreshComm comm;
    Calls calls(make_gather(comm));
    for (int call = 0; call < count; ++call) calls.start();
    calls.end_all();
  }
}

TEST(OwnNonblockingLearning, NothingIsLearnedWhereItIsNotAskedFor) {
  const FreshComm comm;
  Calls calls(make_gather(comm, "gather", {.learn = "off"}));
  calls.make(60, 3);
  EXPECT_EQ(calls.turns(), std::string(60, 's'));
  EXPECT_TRUE(learned_on(comm).all().empty());
}

/// Also of a call that would be late; the ranks are in step afterwards.
TEST(OwnNonblockingLearning, ABufferTooShortForOneAlgorithmIsSoAtOnce) {
  const FreshComm comm;
  OwnCollective gather = make_gather(comm);
  std::string turns;
  const std::array sent{1, 2};
  std::vector<int> half(static_cast<std::size_t>(world_size()));
  for (int round = 0; round < 4; ++round) {
    std::deque<std::unique_ptr<Call>> calls;
    for (int call = 0; call < 30; ++call) {
      const auto& problems = learned_on(comm).all();
      const bool is_over = !problems.empty() && problems.front().second->over();
      if (call % 5 == world_rank() && !is_over) {
        EXPECT_THROW(static_cast<void>(gather.start(sent, half)), Error);
      }
      calls.push_back(std::make_unique<Call>(gather, round * 30 + call));
    }
    for (const auto& call : calls) turns += call->end();
  }
  expect_alike(turns);
}

}  // namespace
}  // namespace rondo::internal::own_nonblocking_learning_test
