#include "collectives/cart_reduction/tree.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/simulation.hpp"

#include <map>
#include <random>

namespace rondo::internal::reduction::tree_test {
namespace {

/// Displacements from which contributions come (residues), with the send block's number in a scatter-reduce (0 in a
/// reduce), and how often.
using Contributions = std::map<std::pair<std::vector<int>, int>, std::int64_t>;

/// What the values of a tree are by the terms alone, for a process anywhere on a torus.
std::vector<std::vector<Contributions>> contributions(const Tree& tree, const Grid& grid) {
  std::vector<std::vector<Contributions>> all(tree.stages() + 1);
  const std::vector<int> here(grid.sizes().size());
  for (ValueId value = 0; value < tree.values(0); ++value) {
    Contributions& own = all[0].emplace_back();
    if (tree.kind() == Kind::reduce) {
      own[{here, 0}] = 1;
      continue;
    }
    for (const int member : tree.members(value)) ++own[{here, member}];
  }
  for (std::size_t s = 0; s < tree.stages(); ++s) {
    for (ValueId value = 0; value < tree.values(s + 1); ++value) {
      Contributions& sum = all[s + 1].emplace_back();
      for (const Term& term : tree.terms(s + 1, value)) {
        for (const auto& [source, times] : all[s][term.value]) {
          std::vector<int> place = source.first;
          for (int k = 0; k < grid.dimensions() && term.step != kStays; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const int step = tree.expansion().step(tree.expansion().stages()[s], term.step)[at];
            place[at] = grid.residue(k, place[at] + step);
          }
          sum[{place, source.second}] += times * term.times;
        }
      }
    }
  }
  return all;
}

Contributions defined(const Grid& grid, const Neighborhood& hood, Kind kind) {
  Contributions sum;
  for (int i = 0; i < hood.size(); ++i) {
    std::vector<int> place;
    for (int k = 0; k < grid.dimensions(); ++k) place.push_back(grid.residue(k, hood[i][static_cast<std::size_t>(k)]));
    ++sum[{place, kind == Kind::reduce ? 0 : i}];
  }
  return sum;
}

std::vector<int> in_order(int d) {
  std::vector<int> order;
  for (int k = 0; k < d; ++k) order.push_back(k);
  return order;
}

Tree by_dimension(const Grid& grid, const Neighborhood& hood, Kind kind) {
  return {expand_by_dimension({grid, hood}, in_order(grid.dimensions())), kind};
}

/// The result is what is defined, terms are in order, and, where vectors are the same for all targets, nothing is
/// computed twice.
void expect_right(const Tree& tree, const Grid& grid, const Neighborhood& hood) {
  const auto all = contributions(tree, grid);
  if (hood.size() == 0) {
    EXPECT_EQ(tree.values(tree.stages()), 0U);
    return;
  }
  ASSERT_EQ(all.back().size(), 1U);
  EXPECT_EQ(all.back().front(), defined(grid, hood, tree.kind()));
  for (std::size_t boundary = 1; boundary <= tree.stages(); ++boundary) {
    for (ValueId value = 0; value < tree.values(boundary); ++value) {
      const auto terms = tree.terms(boundary, value);
      ASSERT_FALSE(terms.empty());
      for (std::size_t i = 1; i < terms.size(); ++i) EXPECT_LT(terms[i - 1].step, terms[i].step);
    }
    const std::set<Contributions> distinct(all[boundary].begin(), all[boundary].end());
    EXPECT_EQ(distinct.size(), all[boundary].size());
  }
}

constexpr Kind kKinds[] = {Kind::reduce, Kind::scatter_reduce};

TEST(ReductionTree, CombinesEveryContributionAsOftenAsItOccurs) {
  for (const std::uint64_t seed : seeds(2000)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, 4);
    std::vector<int> sizes;
    for (int k = 0; k < d; ++k) sizes.push_back(draw(1, 5));
    const Grid grid(sizes, 0);
    Neighborhood hood(d);
    for (int i = draw(0, 20); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-6, 6));
      for (int copies = draw(0, 8) == 0 ? draw(1, 4) : 1; copies > 0; --copies) hood.add(offset);
    }
    std::vector<int> order = in_order(d);
    std::shuffle(order.begin(), order.end(), random);
    for (const Kind kind : kKinds) {
      expect_right({expand_by_dimension({grid, hood}, order), kind}, grid, hood);
      expect_right({expand_directly({grid, hood}), kind}, grid, hood);
      if (d > 1) {
        const std::vector<std::vector<int>> groups{{order.begin(), order.begin() + 1},
                                                   {order.begin() + 1, order.end()}};
        expect_right({expand_by_groups({grid, hood}, groups, "two"), kind}, grid, hood);
      }
    }
    ASSERT_FALSE(HasFailure()) << "RONDO_SEED=" << seed;
  }
}

/// ICPP 2019, table 1, row "Allgather V", for a scatter-reduce. A reduce sends one vector in each round.
TEST(ReductionTree, VolumeOfBoxes) {
  struct Row {
    int d, n;
    std::int64_t volume, rounds;
  };
  constexpr Row kTable[] = {{2, 3, 8, 4},    {2, 4, 15, 6},   {2, 5, 24, 8},    {3, 3, 26, 6},
                            {3, 4, 63, 9},   {3, 5, 124, 12}, {4, 3, 80, 8},    {4, 4, 255, 12},
                            {4, 5, 624, 16}, {5, 3, 242, 10}, {5, 4, 1023, 15}, {5, 5, 3124, 20}};
  for (const Row& row : kTable) {
    const Grid grid(std::vector<int>(static_cast<std::size_t>(row.d), 7), 0);
    const Neighborhood with_zero = box(row.d, row.n, -1);
    const Neighborhood zero(row.d, std::vector<int>(static_cast<std::size_t>(row.d)));
    const Neighborhood without_zero = with_zero.minus(zero);
    for (const Neighborhood& hood : {with_zero, without_zero}) {
      EXPECT_EQ(by_dimension(grid, hood, Kind::scatter_reduce).volume(), row.volume);
      EXPECT_EQ(by_dimension(grid, hood, Kind::reduce).volume(), row.rounds);
    }
    const Tree tree = by_dimension(grid, with_zero, Kind::reduce);
    for (std::size_t boundary = 0; boundary <= tree.stages(); ++boundary) EXPECT_EQ(tree.values(boundary), 1U);
  }
}

/// ICPP 2019, figure 2: the order of dimensions matters, and last is where the root is.
TEST(ReductionTree, FigureTwo) {
  const Grid grid(std::vector{9, 9, 9}, 0);
  const Neighborhood hood{{-2, 1, 1}, {-1, 1, 1}, {1, 1, 1}, {2, 1, 1}};
  for (const Kind kind : kKinds) {
    const Tree tree({expand_by_dimension({grid, hood}, std::vector{0, 1, 2}), kind});
    EXPECT_EQ(tree.volume(), 6);
  }
  const std::vector backwards{2, 1, 0};
  EXPECT_EQ(Tree(expand_by_dimension({grid, hood}, backwards), Kind::scatter_reduce).volume(), 12);
  EXPECT_EQ(Tree(expand_by_dimension({grid, hood}, backwards), Kind::reduce).volume(), 6)
      << "what goes to four targets is the same vector";
}

TEST(ReductionTree, FactorsAreTakenOut) {
  const Grid grid(std::vector{2, 2, 2}, 0);
  const Tree tree = by_dimension(grid, box(3, 3, -1), Kind::reduce);
  EXPECT_EQ(tree.volume(), 3) << "each dimension doubles what its ring neighbor has";
  for (std::size_t boundary = 1; boundary <= 3; ++boundary) {
    ASSERT_EQ(tree.values(boundary), 1U);
    ASSERT_EQ(tree.terms(boundary, 0).size(), 2U);
    EXPECT_EQ(tree.terms(boundary, 0)[0], (Term{0, 0, 2}));
    EXPECT_EQ(tree.terms(boundary, 0)[1], (Term{kStays, 0, 1}));
  }
  const Tree thrice = by_dimension(grid, Neighborhood{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, Kind::reduce);
  EXPECT_EQ(thrice.terms(3, 0)[0], (Term{kStays, 0, 3}));
}

TEST(ReductionTree, DoesNotDependOnTheOrderOfTheNeighborhood) {
  const Grid grid(std::vector{5, 4}, 0);
  const Neighborhood one{{1, 1}, {0, 1}, {2, 3}, {2, 0}, {-1, 1}};
  const Neighborhood other{{2, 3}, {-1, 1}, {0, 1}, {2, 0}, {1, 1}};
  const Tree tree = by_dimension(grid, one, Kind::reduce);
  const Tree reordered = by_dimension(grid, other, Kind::reduce);
  for (std::size_t boundary = 1; boundary <= 2; ++boundary) {
    ASSERT_EQ(tree.values(boundary), reordered.values(boundary));
    for (ValueId value = 0; value < tree.values(boundary); ++value)
      EXPECT_TRUE(std::ranges::equal(tree.terms(boundary, value), reordered.terms(boundary, value)));
  }
}

TEST(ReductionTree, NumbersMembersAsTold) {
  const Grid grid(std::vector{3}, 0);
  const Neighborhood hood{{1}, {4}, {0}};
  const std::vector index{7, 8, 9};
  const Tree tree(expand_directly({grid, hood}), Kind::scatter_reduce, index);
  ASSERT_EQ(tree.values(0), 2U);
  EXPECT_TRUE(std::ranges::equal(tree.members(0), std::vector{7, 8}));
  EXPECT_TRUE(std::ranges::equal(tree.members(1), std::vector{9}));
}

}  // namespace
}  // namespace rondo::internal::reduction::tree_test
