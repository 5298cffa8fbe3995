#include "collectives/cart_allgather/tree.hpp"

#include "collectives/paths/dimension_order.hpp"
#include "collectives/paths/projections.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace rondo::internal::allgather::tree_test {
namespace {

using Vector = std::vector<int>;

Vector residues(const Grid& grid, std::span<const int> offset) {
  Vector folded;
  for (int k = 0; k < grid.dimensions(); ++k) folded.push_back(grid.residue(k, offset[static_cast<std::size_t>(k)]));
  return folded;
}

Vector after(const Grid& grid, std::span<const int> place, std::span<const int> step) {
  Vector sum(place.begin(), place.end());
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = grid.residue(static_cast<int>(k), sum[k] + step[k]);
  return sum;
}

std::vector<int> identity(int d) {
  std::vector<int> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// The distinct neighbors, of which trees take expansions.
Neighborhood distinct(const Grid& grid, const Neighborhood& hood) {
  return Neighborhood(hood.dimensions(), FoldedNeighborhood(grid, hood).vectors());
}

Tree tree_along(const Grid& grid, const Neighborhood& hood, std::span<const int> order) {
  return {grid, {grid, hood}, expand_by_dimension({grid, distinct(grid, hood)}, order)};
}

std::vector<PathPart> logarithmic_parts(const Grid& grid, const Neighborhood& hood) {
  return Projections(NeighborhoodFacts(grid, hood)).logarithmic();
}

DimensionOrderSearch order_search(const Grid& grid, const Neighborhood& hood) {
  return DimensionOrderSearch(NeighborhoodFacts(grid, hood));
}

/// A tree as it is defined: every displacement that a path visits is one node, reached from another by one step in a
/// stage of its own, and every neighbor that exists is at the node of its offset.
void expect_valid(const Tree& tree, const Grid& grid, const Neighborhood& hood, const PathExpansion& expansion) {
  std::set<Vector> visited{Vector(static_cast<std::size_t>(grid.dimensions()))};
  std::map<int, Vector> end_of;
  for (int i = 0; i < hood.size(); ++i) {
    bool exists = false;
    for (int rank = 0; rank < grid.size(); ++rank)
      exists = exists || grid.seen_from(rank).relative_rank(hood[i]) != kNoRank;
    if (!exists) continue;
    Vector place(static_cast<std::size_t>(grid.dimensions()));
    for (const ExpansionStage& stage : expansion.stages()) {
      const StepId step = stage.step_of[FoldedNeighborhood(grid, hood).vector_of()[static_cast<std::size_t>(i)]];
      if (step != kStays) place = after(grid, place, expansion.step(stage, step));
      visited.insert(place);
    }
    end_of[i] = residues(grid, hood[i]);
    ASSERT_EQ(place, end_of[i]);
  }
  std::set<Vector> nodes;
  std::size_t ends = 0;
  std::uint32_t distinct = 0;
  for (Tree::Node node = 0; node < tree.nodes(); ++node) {
    const Vector place(tree.displacement(node).begin(), tree.displacement(node).end());
    EXPECT_TRUE(nodes.insert(place).second);
    for (const int end : tree.ends(node)) EXPECT_EQ(end_of.at(end), place);
    EXPECT_TRUE(std::ranges::is_sorted(tree.ends(node)));
    ends += tree.ends(node).size();
    distinct += node != Tree::kRoot && !tree.ends(node).empty() ? 1 : 0;
  }
  EXPECT_EQ(nodes, visited);
  EXPECT_EQ(ends, end_of.size());
  EXPECT_EQ(tree.distinct_ends(), distinct);
  Tree::Node next = 1;
  for (std::size_t round = 0; round < tree.rounds().size(); ++round) {
    const auto [stage, begin, end] = tree.rounds()[round];
    EXPECT_EQ(begin, next);
    EXPECT_LT(begin, end);
    next = end;
    if (round > 0) {
      EXPECT_GE(stage, tree.rounds()[round - 1].stage);
    }
    for (Tree::Node node = begin; node < end; ++node) {
      const Tree::Node parent = tree.parent(node);
      const auto place = tree.displacement(node);
      EXPECT_EQ(after(grid, tree.displacement(parent), tree.step(round)), Vector(place.begin(), place.end()));
      // The parent is there before the stage begins.
      for (const auto& other : tree.rounds()) {
        if (parent >= other.begin && parent < other.end) {
          EXPECT_LT(other.stage, stage);
        }
      }
    }
  }
  EXPECT_EQ(next, tree.nodes());
}

/// ICPP 2019, figure 2. The paper says V = 12 and V = 7: of the smaller tree it counts the nodes, of which a tree has
/// one more than edges.
TEST(AllgatherTree, FigureTwo) {
  const std::array sizes{7, 7, 7};
  const Grid grid(sizes, 0);
  const Neighborhood hood{{-2, 1, 1}, {-1, 1, 1}, {1, 1, 1}, {2, 1, 1}};
  const Tree increasing = tree_along(grid, hood, std::array{0, 1, 2});
  EXPECT_EQ(increasing.edges(), 12U);
  EXPECT_EQ(increasing.rounds().size(), 6U);
  const Tree decreasing = tree_along(grid, hood, std::array{2, 1, 0});
  EXPECT_EQ(decreasing.nodes(), 7U);
  EXPECT_EQ(decreasing.edges(), 6U);
  EXPECT_EQ(decreasing.rounds().size(), 6U);
  EXPECT_EQ(tree_along(grid, hood, order_by_distinct_residues({grid, hood})).edges(), 6U);
}

/// Where the authors' published library goes wrong on every rank.
TEST(AllgatherTree, PathsThatEndInsideAnother) {
  const std::array sizes{3, 4, 5};
  const Grid grid(sizes, 0);
  const Neighborhood hood{{-1, -1, -1}, {-1, 0, 0}};
  const Tree tree = tree_along(grid, hood, std::array{0, 1, 2});
  EXPECT_EQ(tree.edges(), 3U) << "(-1, 0, 0) is on the way to (-1, -1, -1)";
  EXPECT_EQ(tree.ends(1).size(), 1U);
}

TEST(AllgatherTree, EmptyAndZeroNeighborhoods) {
  const std::array sizes{2, 3};
  const Grid grid(sizes, 0);
  const Tree nothing = tree_along(grid, Neighborhood(2), std::array{0, 1});
  EXPECT_EQ(nothing.edges(), 0U);
  EXPECT_TRUE(nothing.rounds().empty());
  const Tree to_self = tree_along(grid, Neighborhood{{0, 0}, {2, -3}}, std::array{0, 1});
  EXPECT_EQ(to_self.edges(), 0U);
  EXPECT_EQ(to_self.ends(Tree::kRoot).size(), 2U);
}

/// Random neighborhoods on random grids: some dimensions periodic, some not, some of size 1 or 2.
struct Drawn {
  explicit Drawn(std::uint64_t seed, int most_dimensions = 5) : random(seed), hood(1) {
    const int d = draw(1, most_dimensions);
    hood = Neighborhood(d);
    std::vector<int> sizes;
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, d > 3 ? 2 : 4));
      periods.push_back(draw(0, 1));
    }
    grid = Grid(sizes, periods, 0);
    for (int i = draw(0, 12); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-5, 5));
      hood.add(offset);
    }
  }
  int draw(int low, int high) { return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1)); }

  std::mt19937_64 random;
  Neighborhood hood;
  Grid grid{std::array{1}, 0};
};

TEST(AllgatherTree, HoldsEveryPathOfEveryExpansion) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Drawn drawn(seed);
    std::vector<int> order = identity(drawn.grid.dimensions());
    std::ranges::shuffle(order, drawn.random);
    const FoldedNeighborhood folded(drawn.grid, drawn.hood);
    const Neighborhood hood = distinct(drawn.grid, drawn.hood);
    for (const PathExpansion& expansion :
         {expand_by_dimension({drawn.grid, hood}, order), expand_directly({drawn.grid, hood}),
          expand_in_parts(drawn.grid, folded.distinct(), logarithmic_parts(drawn.grid, drawn.hood), "logarithmic"),
          expand_through_neighbors(drawn.grid, folded.distinct())})
      expect_valid({drawn.grid, folded, expansion}, drawn.grid, drawn.hood, expansion);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

/// Paths that are no longer determined by where they have come to: here two that meet and part again.
TEST(AllgatherTree, PathsThatMeetShareABlock) {
  const std::array sizes{16};
  const Grid grid(sizes, 0);
  const Neighborhood hood{{3}, {6}, {7}, {3}, {16}};
  // Of the distinct ones: 0 = 8 + 8, 3 = 1 + 2, 6 = 2 + 1 + 3, 7 = 3 + 4.
  const PathExpansion expansion(
      "by hand", 1, {{{1, 2, 3, 8}, {3, 0, 1, 2}}, {{1, 2, 4, 8}, {3, 1, 0, 2}}, {{3}, {kStays, kStays, 0, kStays}}});
  const Tree tree(grid, {grid, hood}, expansion);
  expect_valid(tree, grid, hood, expansion);
  EXPECT_EQ(tree.edges(), 6U) << "1, 2, 3, 8, then 7, then 6: 3 is come to three times, and sent once";
}

/// Which blocks pass, against the definition: a node's block passes when its source exists and has a neighbor that
/// exists at the node or below it. What one end of a message finds, the other finds too.
TEST(AllgatherTree, KnowsWhichBlocksPassOnAMesh) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Drawn drawn(seed);
    const Grid& grid = drawn.grid;
    const Tree tree = tree_along(grid, drawn.hood, order_by_distinct_residues({grid, drawn.hood}));
    for (int rank = 0; rank < grid.size(); ++rank) {
      const Grid source = grid.seen_from(rank);
      std::set<Tree::Node> passed;
      for (Tree::Node node = 0; node < tree.nodes(); ++node) {
        for (const int end : tree.ends(node)) {
          if (source.relative_rank(drawn.hood[end]) == kNoRank) continue;
          for (Tree::Node at = node; passed.insert(at).second && at != Tree::kRoot;) at = tree.parent(at);
        }
      }
      for (Tree::Node node = 1; node < tree.nodes(); ++node) {
        const int there = source.relative_rank(tree.displacement(node));
        const int before = source.relative_rank(tree.displacement(tree.parent(node)));
        if (passed.contains(node)) {
          ASSERT_NE(there, kNoRank) << "seed " << seed;
          ASSERT_NE(before, kNoRank) << "seed " << seed;
        }
        if (there != kNoRank) {
          EXPECT_EQ(tree.passes(grid.seen_from(there), node, node), passed.contains(node)) << "seed " << seed;
        }
        if (before != kNoRank) {
          EXPECT_EQ(tree.passes(grid.seen_from(before), node, tree.parent(node)), passed.contains(node))
              << "seed " << seed;
        }
      }
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(DimensionOrder, IsAsGoodAsTheBestOfAllOrders) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Drawn drawn(seed);
    const DimensionOrderSearch::Best best = order_search(drawn.grid, drawn.hood).best();
    std::vector<int> order = identity(drawn.grid.dimensions());
    EXPECT_TRUE(std::ranges::is_permutation(best.order, order));
    std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
    do {
      fewest = std::min(fewest, tree_along(drawn.grid, drawn.hood, order).edges());
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(best.edges, fewest) << "seed " << seed;
    EXPECT_EQ(tree_along(drawn.grid, drawn.hood, best.order).edges(), fewest) << "seed " << seed;
    const auto increasing = order_by_distinct_residues({drawn.grid, drawn.hood});
    if (tree_along(drawn.grid, drawn.hood, increasing).edges() > fewest) ++better;
  }
  EXPECT_GT(better, 0) << "increasing C_k is not always best";
}

/// What section 3.2 leaves open ("without claim of optimality"), with the fewest neighbors that show it: C_0 = 1 and
/// C_1 = 2, and yet dimension 1 had better come first.
TEST(DimensionOrder, IncreasingResiduesAreNotAlwaysBest) {
  const std::array sizes{5, 5};
  const Grid grid(sizes, 0);
  const Neighborhood hood{{0, 1}, {0, 2}, {1, 1}};
  ASSERT_EQ(order_by_distinct_residues({grid, hood}), (std::vector{0, 1}));
  EXPECT_EQ(tree_along(grid, hood, std::array{0, 1}).edges(), 4U);
  const DimensionOrderSearch::Best best = order_search(grid, hood).best();
  EXPECT_EQ(best.order, (std::vector{1, 0}));
  EXPECT_EQ(best.edges, 3U);
}

TEST(DimensionOrder, TakesTenDimensions) {
  std::mt19937_64 random(5);
  std::vector<int> sizes(10, 3);
  const Grid grid(sizes, 0);
  Neighborhood hood(10);
  for (int i = 0; i < 40; ++i) {
    std::vector<int> offset;
    for (int k = 0; k < 10; ++k) offset.push_back(static_cast<int>(random() % 3) - 1);
    hood.add(offset);
  }
  const DimensionOrderSearch search = order_search(grid, hood);
  const DimensionOrderSearch::Best best = search.best();
  EXPECT_EQ(tree_along(grid, hood, best.order).edges(), best.edges);
  EXPECT_LE(best.edges, tree_along(grid, hood, order_by_distinct_residues({grid, hood})).edges());
}

}  // namespace
}  // namespace rondo::internal::allgather::tree_test
