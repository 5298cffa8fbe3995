// Nonblocking halo exchanges that learn: right data at every call, however many are under way and however far ranks are
// apart.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/halo.hpp>
#include <rondo/rondo.hpp>

#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/learning/learned_file.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/kept_findings.hpp"
#include "tests/support/operations/alike_on_all_ranks.hpp"

#include <chrono>
#include <cstddef>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::halo_nonblocking_learning_test {
namespace {

/// All processes are along the first dimension.
CartComm grid_that_learns(const char* learn = "4") {
  return {MPI_COMM_WORLD, {world_size(), 1}, {1, 1}, moore(2, 1), Options{.learn = learn}};
}

const learning::LearningProblems& learned_on(const CartComm& grid) {
  return NeighborhoodContext::of(grid.native()).calls().learning();
}

/// What the only problem on it has learned.
const learning::LearningCalls& only_one_on(const CartComm& grid) {
  EXPECT_EQ(learned_on(grid).all().size(), 1U);
  return *learned_on(grid).all().front().second;
}

/// An array with a halo of one, and an exchange that is under way.
class Cells {
 public:
  Cells(int rows, int columns)
      : rows_(rows), columns_(columns), cells_(static_cast<std::size_t>((rows + 2) * (columns + 2))) {}

  void start(const CartComm& grid, int call) {
    call_ = call;
    cells_.assign(cells_.size(), -1);
    for (int row = 1; row <= rows_; ++row) {
      for (int column = 1; column <= columns_; ++column) cell(row, column) = value(world_rank(), column);
    }
    request_ = ihalo_exchange(grid, HaloArray::of(cells_, {rows_ + 2, columns_ + 2}, 1));
  }
  [[nodiscard]] Request& request() { return request_; }
  void end() {
    request_.wait();
    const int p = world_size();
    for (int row = 0; row < rows_ + 2; ++row) {
      const int from = row == 0 ? world_rank() + p - 1 : row == rows_ + 1 ? world_rank() + 1 : world_rank();
      for (int column = 0; column < columns_ + 2; ++column)
        EXPECT_EQ(cell(row, column), value(from % p, (column - 1 + columns_) % columns_ + 1)) << "call " << call_;
    }
  }

 private:
  [[nodiscard]] int value(int rank, int column) const { return (rank * 4000 + call_) * 100 + column; }
  int& cell(int row, int column) { return cells_[static_cast<std::size_t>(row * (columns_ + 2) + column)]; }

  int rows_;
  int columns_;
  std::vector<int> cells_;
  int call_ = 0;
  Request request_;
};

/// Arrays that are used again and again, in turn; on each rank of another size.
class Exchanges {
 public:
  Exchanges(const CartComm& grid, std::size_t arrays) : grid_(grid) {
    for (std::size_t i = 0; i < arrays; ++i) cells_.emplace_back(4 + world_rank(), 6);
  }
  /// The next one, if its array's last one has ended.
  void start() { cells_[begun_++ % cells_.size()].start(grid_, number_++); }
  void end_first() { cells_[ended_++ % cells_.size()].end(); }
  [[nodiscard]] std::size_t under_way() const { return begun_ - ended_; }
  [[nodiscard]] Request& last() { return cells_[(begun_ - 1) % cells_.size()].request(); }
  void end_all() {
    while (under_way() > 0) end_first();
  }
  /// As many under way at a time as there are arrays.
  void make(int count) {
    for (int call = 0; call < count; ++call) {
      start();
      if (under_way() == cells_.size()) end_all();
    }
    end_all();
  }

 private:
  const CartComm& grid_;
  std::vector<Cells> cells_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
  int number_ = 0;
};

/// In the end one plan runs, the same on all ranks.
TEST(HaloNonblockingLearning, DataAreRightAtEveryCallAndAllRanksEndAlike) {
  for (const std::size_t arrays : {1U, 3U, 40U}) {
    const CartComm grid = grid_that_learns();
    Exchanges exchanges(grid, arrays);
    exchanges.make(1);
    for (int round = 0; round < 20 && !is_over_everywhere(only_one_on(grid).over()); ++round) exchanges.make(120);
    ASSERT_TRUE(is_over_everywhere(only_one_on(grid).over()));
    exchanges.make(200);
    exchanges.start();
    expect_alike(exchanges.last().algorithm());
    const std::string explained = exchanges.last().explain();
    EXPECT_NE(explained.find(only_one_on(grid).told()), std::string::npos) << explained;
    exchanges.end_all();
    const std::string told = only_one_on(grid).told();
    if (arrays == 1) {
      EXPECT_TRUE(told.starts_with("learned: the fastest of ")) << told;
    }
    expect_alike(told);
  }
}

/// A call for which a decision is missing, as the other ranks are late, does not wait, nor do those after it.
TEST(HaloNonblockingLearning, ARankThatIsFarAheadWaitsInItsWaits) {
  constexpr int kAhead = 120;  // past the answer, and past the first look
  const CartComm grid = grid_that_learns();
  Exchanges exchanges(grid, kAhead);
  for (int round = 0; round < 3; ++round) {
    // The others wait for all of rank 0's calls before they make theirs: a call that waited for them would never end.
    if (world_rank() != 0) MPI_Recv(nullptr, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int call = 0; call < kAhead; ++call) exchanges.start();
    if (world_rank() == 0) {
      if (round == 0) {
        EXPECT_EQ(exchanges.last().algorithm(), "to be chosen");
        EXPECT_TRUE(exchanges.last().explain().starts_with("to be chosen: ")) << exchanges.last().explain();
      }
      for (int to = 1; to < world_size(); ++to) MPI_Send(nullptr, 0, MPI_INT, to, 5, MPI_COMM_WORLD);
    }
    exchanges.end_all();
  }
}

/// Beside blocking calls, which are another problem, and ranks that pause.
TEST(HaloNonblockingLearning, StandsBesideBlockingCalls) {
  const CartComm grid = grid_that_learns("auto");
  Exchanges exchanges(grid, 20);
  std::vector<int> other(8 * 8);
  std::mt19937 own(static_cast<unsigned>(world_rank()) + 2);
  for (int call = 0; call < 1000; ++call) {
    if (own() % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    exchanges.start();
    if (call % 3 == 0) {
      other.assign(other.size(), world_rank());
      halo_exchange(grid, HaloArray::of(other, {8, 8}, 1));
      EXPECT_EQ(other[3], (world_rank() + world_size() - 1) % world_size());
      EXPECT_EQ(other[7 * 8 + 3], (world_rank() + 1) % world_size());
    }
    const std::size_t most = own() % 20;
    while (exchanges.under_way() > most) exchanges.end_first();
  }
  exchanges.end_all();
  EXPECT_EQ(learned_on(grid).all().size(), 2U);
}

/// Where times of calls do not compare, be it on one rank only, the model's choice stays on all of them.
TEST(HaloNonblockingLearning, ArraysOfOtherSizesLearnNothing) {
  const CartComm grid = grid_that_learns();
  Cells small(4, 6);
  Cells large(world_rank() == 0 ? 40 : 4, 6);
  int call = 0;
  const auto exchange_both = [&](int times) {
    for (int i = 0; i < times; ++i) {
      small.start(grid, call++);
      large.start(grid, call++);
      small.end();
      large.end();
    }
  };
  exchange_both(12);
  EXPECT_FALSE(only_one_on(grid).over());
  for (int round = 0; round < 20 && !is_over_everywhere(only_one_on(grid).over()); ++round) exchange_both(60);
  EXPECT_TRUE(is_over_everywhere(only_one_on(grid).over()));
  const std::string told = only_one_on(grid).told();
  EXPECT_TRUE(told.starts_with("learning: ")) << told;
  exchange_both(10);
}

/// What was found out is known to later ones, on all ranks, though rank 0 alone has the file.
TEST(HaloNonblockingLearning, LaterOnesBeginWithWhatIsKnown) {
  const KeptFindings file;
  for (int time = 0; time < 2; ++time) {
    const CartComm grid = grid_that_learns();
    Exchanges exchanges(grid, 1);
    exchanges.make(30);
    EXPECT_EQ(only_one_on(grid).over(), time == 1);
    for (int round = 0; round < 20 && !is_over_everywhere(only_one_on(grid).over()); ++round) exchanges.make(120);
    EXPECT_TRUE(is_over_everywhere(only_one_on(grid).over()));
  }
  if (world_rank() != 0) return;
  const learning::LearnedPlans plans = file.plans();
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_TRUE(plans.begin()->first.starts_with("nonblocking halo exchange, ")) << plans.begin()->first;
  EXPECT_TRUE(plans.begin()->first.ends_with(" bytes on rank 0")) << plans.begin()->first;
}

/// While the ranks ask, while times are added up, and while calls are late.
TEST(HaloNonblockingLearning, CommunicatorsMayBeFreedAtAnyTime) {
  for (const int count : {1, 2, 3, 23, 24, 25, 47, 48, 49, 51, 52, 53, 71, 72, 73, 75, 76, 77, 90}) {
    const CartComm grid = grid_that_learns();
    Exchanges exchanges(grid, static_cast<std::size_t>(count));
    for (int call = 0; call < count; ++call) exchanges.start();
    exchanges.end_all();
  }
}

TEST(HaloNonblockingLearning, NothingIsLearnedWhereItIsNotAskedFor) {
  const CartComm grid = grid_that_learns("off");
  Exchanges exchanges(grid, 3);
  exchanges.make(30);
  EXPECT_TRUE(learned_on(grid).all().empty());
}

}  // namespace
}  // namespace rondo::internal::halo_nonblocking_learning_test
