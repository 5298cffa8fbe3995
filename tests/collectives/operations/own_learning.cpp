// Blocking calls of collectives of the user's own that learn which of their algorithms is the fastest.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/learning/learned_file.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/kept_findings.hpp"
#include "tests/support/operations/alike_on_all_ranks.hpp"
#include "tests/support/operations/own_allreduce.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::own_learning_test {
namespace {

using Build = rondo::ScheduleBuilder;
using std::chrono::microseconds;

/// Past the third look.
constexpr int kCalls = 700;

/// Of all ranks. Freed by the caller.
MPI_Comm fresh_comm() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

const learning::LearningProblems& learned_on(MPI_Comm comm) {
  return DenseContext::ready(comm, "a test")->calls().learning();
}

bool is_over_on(MPI_Comm comm) {
  const auto& all = learned_on(comm).all();
  return all.size() == 1 && all.front().second->over();
}

/// The letter of the algorithm that has won: "fast", unless other programs have disturbed it.
char winner_on(MPI_Comm comm) {
  learning::LearningCalls& learned = *learned_on(comm).all().front().second;
  return learned.name_of(learned.next_plan({}).value()).front();
}

/// An allgather of one number by the algorithms "slow", which is predicted to be the fastest and is busy for a while,
/// and "fast".
class Gather {
 public:
  template <typename On>
  explicit Gather(const On& on, const Options& options = {.learn = "4"}, const char* name = "gather")
      : gather_(on, name, std::vector{way('s', microseconds(200)), way('f', microseconds(0))}, options) {}

  void run(int call) {
    prepare(call);
    gather_.run(mine_.data(), all_.data());
    check(call);
  }
  void run_nonblocking(int call) {
    prepare(call);
    Request request = gather_.start(mine_.data(), all_.data());
    request.wait();
    check(call);
  }
  /// A letter for each call: the algorithm that it was for, on this rank.
  [[nodiscard]] const std::string& turns() const { return turns_; }

 private:
  void prepare(int call) {
    mine_[0] = value(world_rank(), call);
    all_.assign(all_.size(), -1);
  }
  void check(int call) const {
    for (int rank = 0; rank < world_size(); ++rank)
      EXPECT_EQ(all_[static_cast<std::size_t>(rank)], value(rank, call)) << "call " << call;
  }
  static int value(int rank, int call) { return rank * 100000 + call; }

  OwnAlgorithm way(char letter, microseconds busy) {
    const auto lower = [this, letter, busy](Build& build, int rank, int size) {
      const auto note = [this, letter, busy](const ComputeBlocks& blocks) {
        turns_ += letter;
        const auto until = std::chrono::steady_clock::now() + busy;
        while (std::chrono::steady_clock::now() < until) continue;
        blocks.write<int>(0)[0] = blocks.read<int>(0)[0];
      };
      const Block own = build.recv_block(rank * 4, 4);
      build.compute(build.send_block(0, 4), own, note, "note");
      for (int shift = 1; shift < size; ++shift) {
        const int source = (rank + size - shift) % size;
        build.exchange((rank + shift) % size, source, own, build.recv_block(source * 4, 4));
      }
    };
    const double predicted = letter == 's' ? 100 : 150;
    return {letter == 's' ? "slow" : "fast", lower, [predicted](const rondo::Machine&, int) { return predicted; }};
  }

  std::vector<int> mine_ = std::vector<int>(1);
  std::vector<int> all_ = std::vector<int>(static_cast<std::size_t>(world_size()));
  std::string turns_;
  OwnCollective gather_;
};

void run_until_over(Gather& gather, MPI_Comm comm, int first = 0) {
  int call = first;
  while (!is_over_on(comm) && call < first + 2 * kCalls) gather.run(call++);
  EXPECT_TRUE(is_over_on(comm));
}

TEST(OwnLearning, EndsInTheFastestOnAllRanks) {
  MPI_Comm comm = fresh_comm();
  {
    Gather gather(comm);
    run_until_over(gather, comm);
    const std::string told = learned_on(comm).all().front().second->told();
    EXPECT_TRUE(told.starts_with("learned: the fastest of 2 that took turns")) << told;
    const auto calls = static_cast<int>(gather.turns().size());
    EXPECT_EQ(gather.turns().substr(0, 24), std::string(24, 's'));
    for (int call = calls; call < calls + 20; ++call) gather.run(call);
    EXPECT_EQ(gather.turns().substr(gather.turns().size() - 20), std::string(20, winner_on(comm)));
    expect_alike(gather.turns());
  }
  MPI_Comm_free(&comm);
}

/// Beside other calls on the communicator, of which nonblocking ones learn for themselves, and with ranks that come
/// late.
TEST(OwnLearning, SeveralLearnBesideOthers) {
  MPI_Comm comm = fresh_comm();
  {
    Gather one(comm, {.learn = "4"}, "one");
    Gather other(comm, {.learn = "auto"}, "other");
    std::mt19937 order(1);
    std::mt19937 pauses(static_cast<unsigned>(world_rank()) + 2);
    for (int call = 0; call < kCalls; ++call) {
      if (pauses() % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      switch (order() % 8) {
        case 0:
          one.run_nonblocking(call);
          break;
        case 1:
          MPI_Barrier(comm);
          break;
        case 2:
        case 3:
          other.run(call);
          break;
        default:
          one.run(call);
      }
    }
    EXPECT_EQ(learned_on(comm).all().size(), 3U);
    expect_alike(one.turns());
    expect_alike(other.turns());
  }
  MPI_Comm_free(&comm);
}

/// As an application may make them anew for each use.
TEST(OwnLearning, GoesOnInTheNextCollectiveOfItsKind) {
  MPI_Comm comm = fresh_comm();
  for (int use = 0; use < kCalls && !is_over_on(comm); ++use) {
    Gather gather(comm);
    for (int call = 0; call < 10; ++call) gather.run(call);
  }
  EXPECT_TRUE(is_over_on(comm));
  Gather last(comm);
  for (int call = 0; call < 3; ++call) last.run(call);
  EXPECT_EQ(last.turns(), std::string(3, winner_on(comm)));
  MPI_Comm_free(&comm);
}

TEST(OwnLearning, OnGrids) {
  const CartComm grid(MPI_COMM_WORLD, {world_size()}, Neighborhood(1));
  Gather gather(grid);
  for (int call = 0; call < kCalls; ++call) gather.run(call);
  const auto& all = NeighborhoodContext::of(grid.native()).calls().learning().all();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all.front().second->over());
  EXPECT_NE(gather.turns().find('f'), std::string::npos);
}

/// On all ranks, though rank 0 alone has the file.
TEST(OwnLearning, LaterOnesBeginWithWhatIsKnown) {
  const KeptFindings file;
  std::string winner;
  for (int time = 0; time < 2; ++time) {
    MPI_Comm comm = fresh_comm();
    Gather gather(comm);
    for (int call = 0; call < 30; ++call) gather.run(call);
    EXPECT_EQ(is_over_on(comm), time == 1);
    if (time == 0) {
      run_until_over(gather, comm, 30);
      winner = winner_on(comm);
    } else {
      EXPECT_EQ(gather.turns(), std::string(24, 's') + std::string(6, winner.front()));
    }
    MPI_Comm_free(&comm);
  }
  if (world_rank() != 0) return;
  const learning::LearnedPlans plans = file.plans();
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_TRUE(plans.begin()->first.starts_with("blocking gather, ")) << plans.begin()->first;
  EXPECT_TRUE(plans.begin()->second.starts_with(winner)) << plans.begin()->second;
}

/// While the ranks ask, and while times are being added up.
TEST(OwnLearning, MayGoAtAnyTime) {
  for (const int calls : {1, 2, 3, 24, 25, 47, 48, 49, 51, 52, 53, 72, 76}) {
    for (const bool comm_goes_first : {false, true}) {
      MPI_Comm comm = fresh_comm();
      auto gather = std::make_unique<Gather>(comm);
      for (int call = 0; call < calls; ++call) gather->run(call);
      if (comm_goes_first) MPI_Comm_free(&comm);
      gather.reset();
      if (!comm_goes_first) MPI_Comm_free(&comm);
    }
  }
}

TEST(OwnLearning, NothingIsLearnedWhereItIsNotAskedFor) {
  MPI_Comm comm = fresh_comm();
  Gather gather(comm, {.learn = "off"});
  for (int call = 0; call < 60; ++call) gather.run(call);
  EXPECT_EQ(gather.turns(), std::string(60, 's'));
  EXPECT_TRUE(learned_on(comm).all().empty());
  MPI_Comm_free(&comm);
}

std::vector<OwnAlgorithm> two(const Lowering& one, const Lowering& other) {
  return {{"one", one, [](const rondo::Machine&, int) { return 100.0; }},
          {"other", other, [](const rondo::Machine&, int) { return 150.0; }}};
}

/// Sums of floating-point numbers would change in their last bits from one call to the next.
TEST(OwnLearning, WhatDependsOnTheOrderDoesNotLearn) {
  const auto of_int = [](Build& build, int rank, int size) { at_rank_0(build, rank, size, MPI_INT); };
  const auto of_float = [](Build& build, int rank, int size) { at_rank_0(build, rank, size, MPI_FLOAT); };
  const std::array<int, 1> one{1};
  std::array<int, 1> sum{};
  for (const auto& [lower, problems] : {std::pair<Lowering, std::size_t>(of_float, 0), {of_int, 1}}) {
    MPI_Comm comm = fresh_comm();
    OwnCollective collective(comm, "sum", two(of_int, lower), {.learn = "4"});
    for (int call = 0; call < 60; ++call) collective.run(one, sum);
    EXPECT_EQ(sum[0], world_size());
    EXPECT_EQ(learned_on(comm).all().size(), problems);
    MPI_Comm_free(&comm);
  }
}

/// Not only when its turn has come, but until it has lost; the ranks are in step afterwards.
TEST(OwnLearning, ABufferTooShortForOneAlgorithmIsSoAtOnce) {
  const auto lower = [](std::int64_t first) {
    return [first](Build& build, int rank, int size) {
      build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 4), build.recv_block(first, 4));
    };
  };
  MPI_Comm comm = fresh_comm();
  OwnCollective shift(comm, "shift", two(lower(0), lower(4)), {.learn = "4"});
  const std::array<int, 1> sent{world_rank()};
  const int from = (world_rank() + world_size() - 1) % world_size();
  for (int call = 0; call < 80; ++call) {
    std::array<int, 1> short_one{-1};
    if (call % 20 == world_rank() && !is_over_on(comm)) {
      EXPECT_THROW(shift.run(sent, short_one), Error);
    }
    std::array<int, 2> received{-1, -1};
    shift.run(sent, received);
    EXPECT_TRUE(received == (std::array{from, -1}) || received == (std::array{-1, from})) << "call " << call;
    std::string arrived(1, received[0] == from ? 'a' : 'b');
    expect_alike(arrived);
  }
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace rondo::internal::own_learning_test
