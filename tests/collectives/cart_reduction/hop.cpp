#include "collectives/cart_reduction/hop.hpp"

#include <gtest/gtest.h>

#include "collectives/cart_reduction/canonical.hpp"
#include "tests/support/cases/random/random_reduction.hpp"
#include "tests/support/cases/simulation.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rondo::internal::reduction::hop_test {
namespace {

/// Values of the boundary at which a hop begins, each with how far its process is away, and how often.
using Sum = std::map<std::pair<std::vector<int>, ValueId>, std::int64_t>;

Sum by_the_tree(const Tree& tree, const Grid& grid, std::size_t from, std::size_t boundary, ValueId value,
                const std::vector<int>& away) {
  if (boundary == from) return {{{away, value}, 1}};
  Sum sum;
  for (const Term& term : tree.terms(boundary, value)) {
    std::vector<int> further = away;
    for (int k = 0; k < grid.dimensions() && term.step != kStays; ++k) {
      const auto at = static_cast<std::size_t>(k);
      further[at] =
          grid.residue(k, further[at] + tree.expansion().step(tree.expansion().stages()[boundary - 1], term.step)[at]);
    }
    for (const auto& [part, times] : by_the_tree(tree, grid, from, boundary - 1, term.value, further))
      sum[part] += times * term.times;
  }
  return sum;
}

TEST(ReductionHop, CombinesWhatTheTreeDoes) {
  for (const std::uint64_t seed : seeds(300)) {
    const RandomReduction random(seed);
    for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
      const Canonical canonical = make_canonical({random.grid, random.neighborhood}, kind);
      const Tree& tree = canonical.tree;
      for (std::size_t from = 0; from < tree.stages(); ++from) {
        for (std::size_t to = from + 1; to <= tree.stages(); ++to) {
          const Hop hop(tree, random.grid, from, to);
          const std::vector<int> here(random.grid.sizes().size());
          std::vector<Sum> sums(hop.nodes());
          std::vector<std::set<ValueId>> parts(hop.nodes());
          for (Hop::NodeId leaf = 0; leaf < hop.own(); ++leaf) sums[leaf] = {{{here, hop.value_of(leaf)}, 1}};
          std::set<std::vector<int>> steps{here};
          Hop::NodeId next = hop.own();
          for (std::size_t i = 0; i < hop.rounds(); ++i) {
            const auto round = hop.round(i);
            ASSERT_EQ(round.begin, next);
            next = round.end;
            const std::vector<int> step(round.step.begin(), round.step.end());
            EXPECT_TRUE(steps.insert(step).second) << "one round for each step";
            for (auto leaf = round.begin; leaf < round.end; ++leaf) sums[leaf] = {{{step, hop.value_of(leaf)}, 1}};
          }
          ASSERT_EQ(next, hop.leaves());
          std::int64_t reductions = 0;
          for (Hop::NodeId node = hop.leaves(); node < hop.nodes(); ++node) {
            --reductions;
            for (const auto& operand : hop.operands(node)) {
              ASSERT_LT(operand.node, node);
              reductions += operand.times;
              for (const auto& [part, times] : sums[operand.node]) sums[node][part] += times * operand.times;
            }
          }
          EXPECT_EQ(hop.reductions(), reductions);
          std::vector<std::set<ValueId>> of_leaf(hop.leaves());
          for (ValueId value = 0; value < tree.values(to); ++value) {
            const Sum& sum = sums[hop.result(value)];
            ASSERT_EQ(sum, by_the_tree(tree, random.grid, from, to, value, here)) << "RONDO_SEED=" << seed;
            for (Hop::NodeId leaf = 0; leaf < hop.leaves(); ++leaf) {
              if (sum.contains(sums[leaf].begin()->first)) of_leaf[leaf].insert(value);
            }
          }
          for (Hop::NodeId leaf = 0; leaf < hop.leaves() && !random.grid.is_torus(); ++leaf) {
            EXPECT_EQ(std::set<ValueId>(hop.part_of(leaf).begin(), hop.part_of(leaf).end()), of_leaf[leaf]);
            EXPECT_EQ(hop.part_of(leaf).size(), of_leaf[leaf].size());
          }
        }
      }
    }
    ASSERT_FALSE(HasFailure()) << "RONDO_SEED=" << seed;
  }
}

TEST(ReductionHop, OfAllStagesHasOneRoundForEachProcess) {
  const Grid grid(std::vector{7, 7}, 0);
  const Canonical canonical = make_canonical({grid, box(2, 5, -2)}, Kind::reduce);
  const Hop hop(canonical.tree, grid, 0, canonical.tree.stages());
  EXPECT_EQ(hop.rounds(), 24U);
  EXPECT_EQ(hop.volume(), 24U);
  EXPECT_EQ(hop.own(), 1U);
  EXPECT_EQ(hop.reductions(), 24);
}

}  // namespace
}  // namespace rondo::internal::reduction::hop_test
