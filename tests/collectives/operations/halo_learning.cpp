// Blocking halo exchanges that learn which algorithm is the fastest: right data at every call.
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
#include <utility>
#include <vector>

namespace rondo::internal::halo_learning_test {
namespace {

/// Past the third look of four candidates.
constexpr int kCalls = 1100;

/// All processes are along the first dimension, so that sizes along it differ from one to the next. A torus, or a
/// mesh, where the ends have but one neighbor.
CartComm grid_that_learns(const char* learn = "4", bool is_torus = true) {
  return {MPI_COMM_WORLD, {world_size(), 1}, {is_torus ? 1 : 0, 1}, moore(2, 1), Options{.learn = learn}};
}

const learning::LearningProblems& learned_on(const CartComm& grid) {
  return NeighborhoodContext::of(grid.native()).calls().learning();
}

/// What the only problem on it has learned.
const learning::LearningCalls& only_one_on(const CartComm& grid) {
  EXPECT_EQ(learned_on(grid).all().size(), 1U);
  return *learned_on(grid).all().front().second;
}

/// An array with a halo of one.
class Cells {
 public:
  Cells(int rows, int columns)
      : rows_(rows), columns_(columns), cells_(static_cast<std::size_t>((rows + 2) * (columns + 2))) {}

  void exchange(const CartComm& grid, int call, bool is_torus = true) {
    prepare(call);
    halo_exchange(grid, array());
    check(call, is_torus);
  }

 private:
  [[nodiscard]] HaloArray array() { return HaloArray::of(cells_, {rows_ + 2, columns_ + 2}, 1); }
  static int value(int rank, int call, int column) { return (rank * 2000 + call) * 100 + column; }
  int& cell(int row, int column) { return cells_[static_cast<std::size_t>(row * (columns_ + 2) + column)]; }
  void prepare(int call) {
    cells_.assign(cells_.size(), -1);
    for (int row = 1; row <= rows_; ++row) {
      for (int column = 1; column <= columns_; ++column) cell(row, column) = value(world_rank(), call, column);
    }
  }
  void check(int call, bool is_torus = true) {
    const int p = world_size();
    for (int row = 0; row < rows_ + 2; ++row) {
      const bool is_end = (row == 0 && world_rank() == 0) || (row == rows_ + 1 && world_rank() == p - 1);
      const int from = row == 0 ? world_rank() + p - 1 : row == rows_ + 1 ? world_rank() + 1 : world_rank();
      for (int column = 0; column < columns_ + 2; ++column) {
        const int inside = (column - 1 + columns_) % columns_ + 1;
        const int expected = is_end && !is_torus ? -1 : value(from % p, call, inside);
        EXPECT_EQ(cell(row, column), expected) << "call " << call;
      }
    }
  }

  int rows_;
  int columns_;
  std::vector<int> cells_;
};

/// On each rank an array of another size.
Cells cells_here(int more = 0) { return {4 + world_rank() + more, 6}; }

/// Also where sizes change a little, as those of staggered fields do.
TEST(HaloLearning, DataAreRightAtEveryCallAndAllRanksEndAlike) {
  const CartComm grid = grid_that_learns();
  Cells nodes = cells_here(1);
  Cells cells = cells_here();
  std::mt19937 pauses(static_cast<unsigned>(world_rank()));
  for (int call = 0; call < kCalls; ++call) {
    if (pauses() % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    (call % 3 == 0 ? nodes : cells).exchange(grid, call);
  }
  const learning::LearningCalls& learned = only_one_on(grid);
  EXPECT_TRUE(learned.over());
  EXPECT_TRUE(learned.told().starts_with("learned: the fastest of ")) << learned.told();
  expect_alike(learned.told());
}

/// What is predicted is the same on all of them, though those at the ends send less.
TEST(HaloLearning, OnMeshes) {
  const CartComm grid = grid_that_learns("4", false);
  Cells cells = cells_here();
  for (int call = 0; call < kCalls; ++call) cells.exchange(grid, call, false);
  const learning::LearningCalls& learned = only_one_on(grid);
  EXPECT_TRUE(learned.over());
  expect_alike(learned.told());
}

/// Where times of calls do not compare, be it on one rank only, the model's choice stays on all of them.
TEST(HaloLearning, ArraysOfOtherSizesLearnNothing) {
  const CartComm grid = grid_that_learns();
  Cells small(4, 6);
  Cells large(world_rank() == 0 ? 40 : 4, 6);
  int call = 0;
  for (; call < 30; ++call) small.exchange(grid, call);
  EXPECT_FALSE(only_one_on(grid).over());
  for (; call < 120; ++call) (call % 2 == 0 ? small : large).exchange(grid, call);
  const learning::LearningCalls& learned = only_one_on(grid);
  EXPECT_TRUE(learned.over());
  EXPECT_TRUE(learned.told().starts_with("learning: ")) << learned.told();
  for (const int end = call + 20; call < end; ++call) (call % 2 == 0 ? small : large).exchange(grid, call);
}

/// What all ranks know of each other's arrays tells problems apart.
TEST(HaloLearning, ArraysThatAllRanksTellApartAreProblemsOfTheirOwn) {
  const CartComm grid = grid_that_learns();
  Cells narrow(4, 6);
  Cells wide(4, 60);
  for (int call = 0; call < 400; ++call) (call % 2 == 0 ? narrow : wide).exchange(grid, call);
  ASSERT_EQ(learned_on(grid).all().size(), 2U);
  for (const auto& [problem, learned] : learned_on(grid).all())
    EXPECT_FALSE(learned->over() && learned->told().starts_with("learning: ")) << learned->told();
}

/// As those of one shape on rank 0, which alone has the file.
TEST(HaloLearning, LaterOnesBeginWithWhatIsKnown) {
  const KeptFindings file;
  for (const auto& [more, is_known] : {std::pair(0, false), {0, true}, {20, false}}) {
    const CartComm grid = grid_that_learns();
    Cells cells = cells_here(more);
    for (int call = 0; call < kCalls; ++call) {
      cells.exchange(grid, call);
      if (call == 30) {
        EXPECT_EQ(only_one_on(grid).over(), is_known);
      }
    }
  }
  if (world_rank() != 0) return;
  const learning::LearnedPlans plans = file.plans();
  EXPECT_EQ(plans.size(), 2U);
  EXPECT_TRUE(plans.begin()->first.starts_with("blocking halo exchange, ")) << plans.begin()->first;
  EXPECT_TRUE(plans.begin()->first.ends_with(" bytes on rank 0")) << plans.begin()->first;
}

/// While the ranks ask, and while times are being added up.
TEST(HaloLearning, CommunicatorsMayBeFreedAtAnyTime) {
  for (const int calls : {1, 2, 24, 25, 48, 49, 52, 53, 72, 76}) {
    const CartComm grid = grid_that_learns();
    Cells cells = cells_here();
    for (int call = 0; call < calls; ++call) cells.exchange(grid, call);
  }
}

TEST(HaloLearning, NothingIsLearnedWhereItIsNotAskedFor) {
  const CartComm grid = grid_that_learns("off");
  Cells cells = cells_here();
  for (int call = 0; call < 30; ++call) cells.exchange(grid, call);
  EXPECT_TRUE(learned_on(grid).all().empty());
}

}  // namespace
}  // namespace rondo::internal::halo_learning_test
