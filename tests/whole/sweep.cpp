// Every algorithm on every point of a sweep: through the checker, and once through the simulation. A collective joins
// with a row of kCollectives; an algorithm of the alltoall is there as soon as it has its row in the registry.
#include <gtest/gtest.h>

#include "tests/support/cases/allgather_case.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/test_scale.hpp"

#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace rondo::internal::sweep_test {
namespace {

/// One point: a torus, a neighborhood, and the sizes of the blocks.
using SweepPoint = AlltoallCase;
using Visit = std::function<void(const CollectiveCase&)>;

struct SweptCollective {
  const char* name;
  /// Calls visit(case) for each algorithm and variant that applies; `uniform`: block i has one size on all ranks. What
  /// there is too much of takes turns by `seed`.
  void (*for_each)(const SweepPoint& point, bool uniform, std::uint64_t seed, const Visit& visit);
};
constexpr SweptCollective kCollectives[] = {
    {"alltoall", [](const SweepPoint& point, bool uniform, std::uint64_t seed,
                    const Visit& visit) { for_each_alltoall(point, uniform, seed, visit); }},
    {"allgather", [](const SweepPoint& point, bool uniform, std::uint64_t seed, const Visit& visit) {
       // A rank's block is as large as its first. Where sizes differ, all know them, or only those who need to.
       const auto bytes = [&](int rank) { return point.neighborhood.size() == 0 ? 8 : point.bytes(rank, 0); };
       for (const KnownSizes known : {KnownSizes::one_for_all, KnownSizes::by_rank, KnownSizes::none}) {
         if ((known == KnownSizes::one_for_all) != uniform) continue;
         for_each_allgather({point.sizes, point.periods, point.neighborhood, bytes, known}, seed, visit);
       }
     }}};

class Sweep : public ::testing::Test {
 protected:
  void sweep(const SweepPoint& point, bool uniform = true) {
    for (const SweptCollective& collective : kCollectives) {
      collective.for_each(point, uniform, points_++, [&](const CollectiveCase& each) {
        if (HasFatalFailure()) return;
        if (!taken(points_ + cases_++, 3)) return;
        ASSERT_EQ(checked(each), "") << collective.name;
        ASSERT_EQ(simulate({&each, 1}, cases_, 1), "") << collective.name;
      });
    }
  }
  void TearDown() override { std::printf("%llu cases\n", static_cast<unsigned long long>(cases_)); }

 private:
  std::uint64_t points_ = 0;
  std::uint64_t cases_ = 0;
};

std::function<std::int64_t(int, int)> all_of(std::int64_t bytes) {
  return [bytes](int, int) { return bytes; };
}

TEST_F(Sweep, RankCountsAndBlockSizes) {
  std::vector<int> rank_counts;
  if (test_scale() < 1.0) {
    rank_counts = {1, 2, 3, 4, 5, 8, 17};
  } else {
    for (int p = 1; p <= 33; ++p) rank_counts.push_back(p);
    rank_counts.insert(rank_counts.end(), {64, 127, 128});
  }
  for (const int p : rank_counts) {
    for (const Neighborhood& hood : {Neighborhood(1), moore(1, 1), moore(1, 2), box(1, 7, -2)}) {
      for (const std::int64_t bytes : {0, 1, 8, 3001})
        sweep({.sizes = {p}, .neighborhood = hood, .bytes = all_of(bytes)});
      // Sizes that differ from block to block, and from rank to rank.
      sweep({.sizes = {p}, .neighborhood = hood, .bytes = [](int, int i) { return std::int64_t{i % 3 * 5}; }});
      sweep({.sizes = {p},
             .neighborhood = hood,
             .bytes = [](int rank, int i) { return std::int64_t{(rank + i) % 4 * 7}; }},
            false);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(Sweep, ThousandsOfOffsets) {
  sweep({.sizes = {3, 1, 2, 1, 1}, .neighborhood = box(5, 5, -2), .bytes = all_of(1)});
  sweep({.sizes = {3, 2}, .neighborhood = moore(2, 28), .periods = {0, 1}, .bytes = all_of(1)});
  const std::vector<int> ten{1, 2, 1, 1, 2, 1, 1, 1, 2, 1};
  sweep({.sizes = ten, .neighborhood = box(10, 2, 0), .bytes = all_of(3)});
  sweep({.sizes = ten, .neighborhood = box(10, 2, -1), .periods = {0, 0, 1, 1, 1, 0, 1, 0, 1, 0}, .bytes = all_of(3)});
}

TEST_F(Sweep, StencilsOnMeshes) {
  for (const std::vector<int>& periods : {std::vector{0, 0}, {1, 0}, {0, 1}}) {
    for (const std::vector<int>& sizes : {std::vector{1, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 5}, {1, 5}}) {
      for (const Neighborhood& hood : {moore(2, 1), moore(2, 2), box(2, 4, -1)}) {
        sweep({.sizes = sizes, .neighborhood = hood, .periods = periods, .bytes = all_of(8)});
        sweep({.sizes = sizes,
               .neighborhood = hood,
               .periods = periods,
               .bytes = [](int rank, int i) { return std::int64_t{(rank + i) % 4 * 7}; }},
              false);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (const std::vector<int>& periods : {std::vector{0, 0, 0}, {0, 1, 0}})
    sweep({.sizes = {3, 2, 3}, .neighborhood = moore(3, 1), .periods = periods, .bytes = all_of(8)});
}

TEST_F(Sweep, StencilsOnSmallTori) {
  for (const std::vector<int>& sizes : {std::vector{1, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 4}, {1, 5}, {6, 3}}) {
    for (const Neighborhood& hood : {moore(2, 1), moore(2, 2), von_neumann(2, 2), box(2, 4, -1)}) {
      sweep({.sizes = sizes, .neighborhood = hood, .bytes = all_of(8)});
      if (HasFatalFailure()) return;
    }
  }
  for (const std::vector<int>& sizes : {std::vector{1, 1, 1}, {2, 2, 2}, {3, 2, 1}, {3, 3, 3}})
    sweep({.sizes = sizes, .neighborhood = moore(3, 1), .bytes = all_of(8)});
  sweep({.sizes = {2, 2, 2, 2}, .neighborhood = box(4, 3, -1), .bytes = all_of(4)});
  sweep({.sizes = {2, 1, 3, 2, 1}, .neighborhood = box(5, 2, 0), .bytes = all_of(4)});
}

/// Every multiset of up to three of `offsets`, on each torus.
class SmallNeighborhoods : public Sweep {
 protected:
  void sweep_all(const Neighborhood& offsets, const std::vector<std::vector<int>>& toruses) {
    for (int a = 0; a < offsets.size(); ++a) {
      for (int b = a; b <= offsets.size(); ++b) {
        // b or c at the end: fewer than three offsets
        for (int c = b; c <= offsets.size(); ++c) {
          if (++drawn_ % test_stride() != 0) continue;
          Neighborhood hood(offsets.dimensions());
          for (const int i : {a, b, c}) {
            if (i < offsets.size()) hood.add(offsets[i]);
          }
          for (const std::vector<int>& sizes : toruses)
            sweep({.sizes = sizes, .neighborhood = hood, .bytes = all_of(4)});
          if (HasFatalFailure()) return;
        }
      }
    }
  }

 private:
  std::uint64_t drawn_ = 0;
};

TEST_F(SmallNeighborhoods, TwoDimensionsRadiusTwo) { sweep_all(box(2, 5, -2), {{3, 2}, {1, 4}}); }

TEST_F(SmallNeighborhoods, ThreeDimensionsRadiusOne) { sweep_all(box(3, 3, -1), {{2, 1, 3}, {2, 2, 1}}); }

TEST_F(Sweep, RandomNeighborhoods) {
  for (const std::uint64_t seed : seeds(1500)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(0, 19) == 0 ? draw(6, 10) : draw(1, 5);
    SweepPoint point{.sizes = {}, .neighborhood = Neighborhood(d), .bytes = {}};
    const bool mesh = draw(0, 1) == 0;
    for (int k = 0; k < d; ++k) {
      point.sizes.push_back(d > 5 ? draw(0, 7) / 6 + 1 : draw(1, d > 3 ? 2 : 4));
      point.periods.push_back(mesh ? draw(0, 1) : 1);
    }
    for (int i = draw(0, 12); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-5, 5));
      point.neighborhood.add(offset);
    }
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < point.neighborhood.size(); ++i) sizes.push_back(draw(0, 4) == 0 ? 0 : draw(1, 6000));
    point.bytes = [&](int, int i) { return sizes[static_cast<std::size_t>(i)]; };
    sweep(point);
    // And with sizes that are the sender's own business.
    point.bytes = [&](int rank, int i) {
      const std::int64_t bytes = sizes[static_cast<std::size_t>(i)] + rank;
      return (bytes + rank * 16 + i) % 3 == 0 ? 0 : bytes;
    };
    sweep(point, false);
    ASSERT_FALSE(HasFatalFailure()) << "RONDO_SEED=" << seed;
  }
}

}  // namespace
}  // namespace rondo::internal::sweep_test
