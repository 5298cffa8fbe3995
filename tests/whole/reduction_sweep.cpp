// Every reduction on many grids and neighborhoods: through the checker, and through the simulation with an operation
// that tells in which order it was applied. All algorithms must associate as the canonical tree says.
#include <gtest/gtest.h>

#include "tests/support/cases/reduction_case.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"
#include "tests/support/test_scale.hpp"

#include <array>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::reduction_sweep_test {
namespace {

constexpr reduction::Kind kKinds[] = {reduction::Kind::reduce, reduction::Kind::scatter_reduce};

class ReductionSweep : public ::testing::Test {
 protected:
  /// All plans of both kinds; the variants in turn.
  void sweep(ReductionCase point, std::span<const reduction::Kind> kinds = kKinds) {
    for (const reduction::Kind kind : kinds) {
      point.kind = kind;
      ++points_;
      point.ordering = points_ / 2 % 2 == 0 ? Ordering::phases : Ordering::dependencies;
      point.form = points_ % 3 == 0   ? MessageForm::automatic
                   : points_ % 3 == 1 ? MessageForm::staged
                                      : MessageForm::datatype;
      point.foreign = points_ % 5 < 2;
      point.ports = static_cast<int>(points_ % 11 < 3 ? points_ % 11 : 0);
      point.reduction = points_ % 7 < 4 ? in_a_row_ : with_holes_;
      point.nodes.clear();
      if (points_ % 5 >= 3) point.nodes = test::some_nodes(Grid(point.sizes, 0).size(), points_);
      for_each_plan(point, byte_fold(), [&](const CollectiveCase& each) {
        if (HasFatalFailure()) return;
        if (!taken(points_ + cases_++, 3)) return;
        ASSERT_EQ(checked(each), "");
        ASSERT_EQ(simulate({&each, 1}, cases_, 1), "");
      });
      if (HasFatalFailure()) return;
    }
  }
  void TearDown() override { std::printf("%llu cases\n", static_cast<unsigned long long>(cases_)); }

  std::shared_ptr<const Reduction> in_a_row_ = byte_reduction(byte_fold(), false);
  std::shared_ptr<const Reduction> with_holes_ = byte_reduction(byte_fold(), true);

 private:
  std::uint64_t cases_ = 0;
  std::uint64_t points_ = 0;
};

TEST_F(ReductionSweep, Stencils) {
  for (const std::vector<int>& sizes : {std::vector{1, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 4}, {1, 5}, {6, 3}}) {
    for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
      for (const Neighborhood& hood : {moore(2, 1), moore(2, 2), von_neumann(2, 2), box(2, 4, -1), Neighborhood(2)})
        sweep({.sizes = sizes, .periods = periods, .neighborhood = hood});
      if (HasFatalFailure()) return;
    }
  }
  for (const std::vector<int>& sizes : {std::vector{1, 1, 1}, {2, 2, 2}, {3, 2, 1}, {3, 3, 3}}) {
    sweep({.sizes = sizes, .neighborhood = moore(3, 1)});
    sweep({.sizes = sizes, .periods = {0, 1, 0}, .neighborhood = moore(3, 1)});
  }
  sweep({.sizes = {2, 2, 2, 2}, .neighborhood = box(4, 3, -1)});
  sweep({.sizes = {2, 1, 3, 2, 1}, .periods = {1, 1, 0, 0, 0}, .neighborhood = box(5, 2, 0)});
}

TEST_F(ReductionSweep, ManyOffsetsInARow) {
  for (int n = 2; n <= 16; ++n) {
    for (const int first : {0, -1, -n / 2, -n}) {
      for (const int period : {1, 0}) {
        for (const int size : {3, n, 2 * n + 1})
          sweep({.sizes = {size}, .periods = {period}, .neighborhood = box(1, n, first)});
      }
      if (HasFatalFailure()) return;
    }
  }
  sweep({.sizes = {11, 5}, .neighborhood = box(2, 9, -4)});
  sweep({.sizes = {9, 5}, .periods = {0, 0}, .neighborhood = moore(2, 4)});
}

/// The checker compares all that combine into one vector with each other: fewer vectors that are scattered.
TEST_F(ReductionSweep, ThousandsOfOffsets) {
  const std::span<const reduction::Kind> reduce(kKinds, 1);
  sweep({.sizes = {3, 1, 2, 1, 1}, .neighborhood = box(5, 5, -1)}, reduce);
  sweep({.sizes = {3, 3, 2, 2, 2}, .periods = {1, 0, 1, 0, 1}, .neighborhood = box(5, 5, -1)}, reduce);
  const std::vector<int> ten{1, 2, 1, 1, 2, 1, 1, 1, 2, 1};
  sweep({.sizes = ten, .neighborhood = box(10, 2, -1)}, reduce);
  sweep({.sizes = {3, 1, 2, 1, 2}, .neighborhood = box(5, 3, -1)});
  sweep({.sizes = {3, 1, 2, 1, 2}, .periods = {0, 1, 0, 1, 1}, .neighborhood = box(5, 3, -1)});
}

TEST_F(ReductionSweep, OffsetsAlongALine) {
  for (const std::vector<int>& vector : {std::vector{1, 1}, {2, -1}, {-1, 0}, {3, 2}}) {
    for (const auto& [first, last] : {std::pair{0, 5}, {-2, 2}, {-3, 0}, {1, 4}, {-7, 8}}) {
      Neighborhood hood(2);
      for (int m = first; m <= last; ++m) hood.add(std::vector{m * vector[0], m * vector[1]});
      for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
        for (const std::vector<int>& sizes : {std::vector{6, 6}, {2, 3}, {5, 7}})
          sweep({.sizes = sizes, .periods = periods, .neighborhood = hood});
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Every multiset of up to two of `offsets` on each grid, and every one of three on one of them.
class SmallReductions : public ReductionSweep {
 protected:
  using SizesAndPeriods = std::pair<std::vector<int>, std::vector<int>>;
  void sweep_all(const Neighborhood& offsets, const std::vector<SizesAndPeriods>& grids) {
    for (int a = 0; a < offsets.size(); ++a) {
      for (int b = a; b <= offsets.size(); ++b) {
        // b or c at the end: fewer than three offsets
        for (int c = b; c <= offsets.size(); ++c) {
          if (++drawn_ % test_stride() != 0) continue;
          Neighborhood hood(offsets.dimensions());
          for (const int i : {a, b, c}) {
            if (i < offsets.size()) hood.add(offsets[i]);
          }
          ++number_;
          for (std::size_t i = 0; i < grids.size(); ++i) {
            if (hood.size() == 3 && number_ % grids.size() != i) continue;
            sweep({.sizes = grids[i].first, .periods = grids[i].second, .neighborhood = hood});
          }
          if (HasFatalFailure()) return;
        }
      }
    }
  }

 private:
  std::uint64_t drawn_ = 0;
  std::size_t number_ = 0;
};

TEST_F(SmallReductions, TwoDimensionsRadiusTwo) { sweep_all(box(2, 5, -2), {{{3, 2}, {1, 1}}, {{3, 3}, {0, 1}}}); }

TEST_F(SmallReductions, ThreeDimensionsRadiusOne) {
  sweep_all(box(3, 3, -1), {{{2, 1, 3}, {1, 1, 1}}, {{2, 3, 2}, {0, 0, 1}}});
}

TEST_F(ReductionSweep, RandomNeighborhoods) {
  for (const std::uint64_t seed : seeds(3000)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(0, 20) == 0 ? 10 : draw(1, 5);
    ReductionCase point{.sizes = {}, .neighborhood = Neighborhood(d)};
    int ranks = 1;
    for (int k = 0; k < d; ++k) {
      point.sizes.push_back(draw(1, d > 3 ? 2 : 5));
      if (ranks * point.sizes.back() > 40) point.sizes.back() = 1;
      ranks *= point.sizes.back();
      point.periods.push_back(draw(0, 1));
    }
    for (int i = draw(0, 14); i > 0; --i) {
      const int reach = draw(1, 6);
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-reach, reach));
      for (int copies = draw(0, 9) == 0 ? draw(2, 4) : 1; copies > 0; --copies) point.neighborhood.add(offset);
    }
    sweep(point);
    ASSERT_FALSE(HasFatalFailure()) << "RONDO_SEED=" << seed;
  }
}

}  // namespace
}  // namespace rondo::internal::reduction_sweep_test
