#include "collectives/cart_reduction/reach.hpp"

#include <gtest/gtest.h>

#include "collectives/cart_reduction/canonical.hpp"
#include "tests/support/cases/simulation.hpp"

#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace rondo::internal::reduction::reach_test {
namespace {

using Place = std::tuple<std::size_t, ValueId, int>;  ///< boundary, value, rank

/// Follows every contribution from its source to its result, if both exist, and notes what it is part of on the way.
struct PlainReach {
  PlainReach(const Tree& tree, const Grid& grid) : tree_(tree), grid_(grid) {
    for (int rank = 0; rank < grid.size(); ++rank) {
      if (tree.values(tree.stages()) > 0) visit(tree.stages(), 0, rank);
    }
  }
  std::set<Place> existing;
  std::set<Place> needed;

 private:
  /// Whether the value exists.
  bool visit(std::size_t boundary, ValueId value, int rank) {
    needed.emplace(boundary, value, rank);
    bool exists = boundary == 0;
    for (std::size_t i = 0; boundary > 0 && i < tree_.terms(boundary, value).size(); ++i) {
      const Term& term = tree_.terms(boundary, value)[i];
      int from = rank;
      if (term.step != kStays) {
        const auto step = tree_.expansion().step(tree_.expansion().stages()[boundary - 1], term.step);
        from = grid_.seen_from(rank).relative_rank(step, -1);
      }
      if (from != kNoRank && visit(boundary - 1, term.value, from)) exists = true;
    }
    if (exists) existing.emplace(boundary, value, rank);
    return exists;
  }

  const Tree& tree_;
  const Grid& grid_;
};

TEST(ReductionReach, IsWhatContributionsPassThrough) {
  for (const std::uint64_t seed : seeds(300)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, 3);
    std::vector<int> sizes;
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 5));
      periods.push_back(draw(0, 1));
    }
    const Grid grid(sizes, periods, 0);
    Neighborhood hood(d);
    for (int i = draw(0, 10); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-4, 4));
      hood.add(offset);
    }
    for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
      const Canonical canonical = make_canonical({grid, hood}, kind);
      const PlainReach plain(canonical.tree, grid);
      for (std::size_t boundary = 0; boundary <= canonical.tree.stages(); ++boundary) {
        for (ValueId value = 0; value < canonical.tree.values(boundary); ++value) {
          for (int rank = 0; rank < grid.size(); ++rank) {
            const Grid there = grid.seen_from(rank);
            const Place place{boundary, value, rank};
            const bool needed = canonical.reach.is_needed(boundary, value, there.coordinates());
            ASSERT_EQ(needed, plain.needed.contains(place)) << "RONDO_SEED=" << seed;
            if (!needed) continue;  // nobody has looked
            ASSERT_EQ(canonical.reach.exists(boundary, value, there.coordinates()), plain.existing.contains(place))
                << "RONDO_SEED=" << seed;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo::internal::reduction::reach_test
