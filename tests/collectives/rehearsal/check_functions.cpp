// The check of collectives of one's own that compute.
#include <gtest/gtest.h>
#include <rondo/own/check.hpp>

#include "examples/own_stencil/step_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::check_functions_test {
namespace {

using rondo::check;
using Build = rondo::ScheduleBuilder;
const ComputeFunction kNothing = [](const ComputeBlocks&) {};

void expect_words(const CheckResult& result, std::initializer_list<const char*> words) {
  EXPECT_FALSE(result.ok());
  for (const char* word : words) EXPECT_NE(result.story().find(word), std::string::npos) << result;
}

/// Steps of the stencil from their definition: of a grid that all ranks share, with rows beyond it.
class Plate {
 public:
  Plate(const Slab& slab, std::span<const std::vector<double>> sent) : cols_(static_cast<std::size_t>(slab.cols)) {
    const auto grid = static_cast<std::ptrdiff_t>(slab.elements());
    rows_.assign(sent.front().begin(), sent.front().begin() + slab.cols);
    for (const std::vector<double>& of_rank : sent)
      rows_.insert(rows_.end(), of_rank.begin() + slab.cols, of_rank.begin() + grid - slab.cols);
    rows_.insert(rows_.end(), sent.back().begin() + grid - slab.cols, sent.back().begin() + grid);
    // Rows beyond the plate may differ in the second grid.
    other_rows_ = rows_;
    std::copy_n(sent.front().begin() + grid, slab.cols, other_rows_.begin());
    std::copy_n(sent.back().begin() + 2 * grid - slab.cols, slab.cols, other_rows_.end() - slab.cols);
  }
  void step() {
    for (std::size_t i = cols_; i < rows_.size() - cols_; ++i) {
      const std::size_t col = i % cols_;
      const bool inner = col > 0 && col + 1 < cols_;
      other_rows_[i] =
          inner ? 0.25 * ((rows_[i - cols_] + rows_[i + cols_]) + (rows_[i - 1] + rows_[i + 1])) : rows_[i];
    }
    std::swap(rows_, other_rows_);
  }
  /// Rows [first, first + count) of what is now, and of what was before.
  [[nodiscard]] std::span<const double> now(int first, int count) const { return part(rows_, first, count); }
  [[nodiscard]] std::span<const double> before(int first, int count) const { return part(other_rows_, first, count); }

 private:
  [[nodiscard]] std::span<const double> part(const std::vector<double>& rows, int first, int count) const {
    return std::span(rows).subspan(static_cast<std::size_t>(first) * cols_, static_cast<std::size_t>(count) * cols_);
  }
  std::size_t cols_;
  std::vector<double> rows_;
  std::vector<double> other_rows_;
};

TEST(CheckFunctions, TwoStepsOfAStencil) {
  for (const Slab& slab : {Slab{.rows = 3, .cols = 3, .tiles = 1}, Slab{.rows = 6, .cols = 4, .tiles = 3}}) {
    const auto define = [&](int rank, std::span<const std::vector<double>> sent, std::vector<double>& recv) {
      Plate plate(slab, sent);
      plate.step();
      plate.step();
      // The halos hold what the neighbors had when they sent it.
      const int ranks = static_cast<int>(sent.size());
      const int first = rank * slab.rows;
      const auto grid = static_cast<std::ptrdiff_t>(slab.elements());
      const auto put = [](std::span<const double> rows, auto place) { std::copy(rows.begin(), rows.end(), place); };
      put(plate.now(first + 1, slab.rows), recv.begin() + slab.cols);
      put(plate.before(first + 1, slab.rows), recv.begin() + grid + slab.cols);
      Plate at_first(slab, sent);
      if (rank > 0) put(at_first.now(first, 1), recv.begin());
      if (rank < ranks - 1) put(at_first.now(first + slab.rows + 1, 1), recv.begin() + grid - slab.cols);
      if (rank > 0) put(plate.before(first, 1), recv.begin() + grid);
      if (rank < ranks - 1) put(plate.before(first + slab.rows + 1, 1), recv.begin() + 2 * grid - slab.cols);
    };
    for (int size = 1; size <= 5; ++size) {
      const auto elements = static_cast<std::size_t>(2 * slab.elements());
      const CheckResult result = check<double>(two_steps(slab), size, {.send = 0, .recv = elements}, define);
      EXPECT_TRUE(result.ok()) << result;
    }
  }
}

TEST(CheckFunctions, WithoutDataNoFunctionRuns) {
  int ran = 0;
  const Lowering lower = [&](Build& build, int, int) {
    build.compute({}, build.recv_block(0, 8), [&](const ComputeBlocks&) { ++ran; });
  };
  EXPECT_TRUE(check(lower, 3).ok());
  EXPECT_EQ(ran, 0);
  const auto as_it_was = [](int, std::span<const std::vector<int>>, std::vector<int>&) {};
  EXPECT_TRUE(check<int>(lower, 3, {.send = 0, .recv = 2}, as_it_was, {.seeds = 1}).ok());
  EXPECT_EQ(ran, 6) << "in both starts on each rank";
}

/// Wrong in a function: the definition finds it.
TEST(CheckFunctions, FindsWhatAFunctionDoesWrong) {
  const Lowering lower = [](Build& build, int rank, int) {
    build.compute(build.send_block(0, 1, MPI_INT), build.recv_block(0, 1, MPI_INT),
                  [rank](const ComputeBlocks& blocks) {
                    blocks.write<int>(0)[0] = blocks.read<int>(0)[0] + (rank == 1 ? 1 : 0);
                  });
  };
  const auto define = [](int rank, std::span<const std::vector<int>> sent, std::vector<int>& recv) {
    recv = sent[static_cast<std::size_t>(rank)];
  };
  EXPECT_TRUE(check<int>(lower, 1, {.send = 1, .recv = 1}, define).ok());
  expect_words(check<int>(lower, 2, {.send = 1, .recv = 1}, define), {"seed ", "rank 1", "element 0", "must be"});
}

TEST(CheckFunctions, TellsWhatAFunctionThrows) {
  const Lowering lower = [](Build& build, int, int) {
    build.compute(
        build.send_block(0, 8), build.recv_block(0, 8),
        [](const ComputeBlocks& blocks) {
          if (blocks.reads() == 1) throw std::runtime_error("no convergence");
        },
        "solve");
  };
  const auto define = [](int, std::span<const std::vector<int>>, std::vector<int>&) {};
  expect_words(check<int>(lower, 1, {.send = 2, .recv = 2}, define),
               {"rank 0, start 1: compute \"solve\" (task 0", "its function threw: no convergence"});
}

/// Nothing is known of what it wrote but that it did.
TEST(CheckFunctions, FindsWhatIsReadBeforeItWasWritten) {
  const Lowering right = [](Build& build, int rank, int size) {
    const Block made = build.transit(8);
    const Block got = build.recv_block(0, 8);
    build.compute(build.send_block(0, 8), made, kNothing, "make");
    build.exchange((rank + 1) % size, (rank + size - 1) % size, made, got);
    build.compute(got, build.recv_block(8, 8), kNothing, "use");
  };
  for (int size = 1; size <= 4; ++size) EXPECT_TRUE(check(right, size).ok()) << check(right, size);
  const Lowering unwritten = [](Build& build, int, int) {
    build.compute({build.send_block(0, 8), build.recv_block(0, 8)}, build.recv_block(8, 8), kNothing, "early");
  };
  expect_words(check(unwritten, 1),
               {"rank 0 of 1: the lowering throws", "compute", "is read before anything wrote it"});
}

/// Each waits for what the other sends after it has computed.
TEST(CheckFunctions, FindsFunctionsThatWaitForEachOther) {
  const Lowering lower = [](Build& build, int rank, int) {
    const Block got = build.recv_block(0, 8);
    const Block made = build.recv_block(8, 8);
    build.receive(1 - rank, got);
    build.compute(got, made, kNothing, "answer");
    build.send(1 - rank, made);
  };
  expect_words(check(lower, 2), {"deadlock", "compute \"answer\" (task "});
}

}  // namespace
}  // namespace rondo::internal::check_functions_test
