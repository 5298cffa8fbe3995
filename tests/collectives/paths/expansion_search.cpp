#include "collectives/paths/expansion_search.hpp"

#include <gtest/gtest.h>

#include "collectives/cart_alltoall/routed.hpp"
#include "tests/support/cases/random/random_expansion.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>

namespace rondo::internal::expansion_search_test {
namespace {

constexpr CostParameters kNoCopies{.message = 200,
                                   .byte = 0.5,
                                   .burst = 512,
                                   .long_byte = 0.25,
                                   .eager_limit = 4000,
                                   .rendezvous = 700,
                                   .rendezvous_byte = 0.125,
                                   .copied_block = 0,
                                   .copied_byte = 0,
                                   .phase = 50,
                                   .second_phase = 500};

/// A neighborhood on a grid drawn at random, with blocks of several sizes.
struct Drawn {
  explicit Drawn(std::uint64_t seed, int most_dimensions) : random(seed), hood(1) {
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, most_dimensions);
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 9));
      periods.push_back(draw(0, 2) == 0 ? 0 : 1);
    }
    hood = Neighborhood(d);
    const int spread = draw(1, 8);
    const int most_bytes = draw(0, 1) == 0 ? 8 : 300;
    for (int i = draw(0, 40); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-spread, spread));
      hood.add(offset);
      bytes.push_back(draw(0, 5) == 0 ? 0 : draw(1, most_bytes));
    }
  }
  std::mt19937_64 random;
  std::vector<int> sizes;
  std::vector<int> periods;
  Neighborhood hood;
  std::vector<std::int64_t> bytes;
};

void expect_equal(const Prediction& one, const Prediction& other) {
  EXPECT_EQ(one.phases, other.phases);
  EXPECT_EQ(one.rounds, other.rounds);
  EXPECT_EQ(one.blocks, other.blocks);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_EQ(one.copied_blocks, other.copied_blocks);
  EXPECT_EQ(one.copied_bytes, other.copied_bytes);
  EXPECT_NEAR(one.nanoseconds, other.nanoseconds, 1e-9 * other.nanoseconds);
}

/// Counts by the paper's words what blocks of these sizes do along an expansion: those that take the same step in a
/// stage share a message; they are copied into it, and out of it with their last hop.
Prediction counted(const PathExpansion& expansion, std::span<const std::int64_t> bytes, const CostModel& costs,
                   const NearOffsets* near) {
  Prediction prediction;
  for (std::size_t number = 0; number < expansion.stages().size(); ++number) {
    const ExpansionStage& stage = expansion.stages()[number];
    const auto is_last_hop = [&](std::size_t i) {
      return std::ranges::all_of(expansion.stages().subspan(number + 1),
                                 [&](const ExpansionStage& later) { return later.step_of[i] == kStays; });
    };
    const std::int64_t before = prediction.rounds;
    Nearness slowest = Nearness::near;
    for (StepId step = 0; step < expansion.steps(stage); ++step) {
      std::int64_t blocks = 0;
      std::int64_t total = 0;
      std::int64_t last_blocks = 0;
      std::int64_t last_bytes = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (stage.step_of[i] != step || bytes[i] == 0) continue;
        ++blocks;
        total += bytes[i];
        if (!is_last_hop(i)) continue;
        ++last_blocks;
        last_bytes += bytes[i];
      }
      const Nearness nearness = nearness_of(near, expansion.step(stage, step));
      if (blocks > 0) costs.add_message(prediction, blocks, total, SentData::cold, nearness);
      if (blocks > 0 && nearness == Nearness::far) slowest = Nearness::far;
      if (blocks < 2) continue;
      costs.add_copies(prediction, blocks, total, nearness);
      costs.add_copies(prediction, last_blocks, last_bytes);
    }
    if (prediction.rounds > before) costs.add_phase(prediction, slowest);
  }
  return prediction;
}

/// The same steps for each block, whatever their numbers.
void expect_same_paths(const PathExpansion& one, const PathExpansion& other) {
  ASSERT_EQ(one.stages().size(), other.stages().size());
  for (std::size_t stage = 0; stage < one.stages().size(); ++stage) {
    const ExpansionStage& here = one.stages()[stage];
    const ExpansionStage& there = other.stages()[stage];
    EXPECT_EQ(one.steps(here), other.steps(there));
    ASSERT_EQ(here.step_of.size(), there.step_of.size());
    for (std::size_t i = 0; i < here.step_of.size(); ++i) {
      ASSERT_EQ(here.step_of[i] == kStays, there.step_of[i] == kStays);
      if (here.step_of[i] == kStays) continue;
      EXPECT_TRUE(std::ranges::equal(one.step(here, here.step_of[i]), other.step(there, there.step_of[i])));
    }
  }
}

/// What is predicted from the vectors is what is predicted block by block along the paths.
TEST(PathSearch, PredictsWhatExpansionsDo) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Drawn drawn(seed, 4);
    const Grid grid(drawn.sizes, drawn.periods, 0);
    const std::vector<std::int64_t> nodes = test::nodes_by(drawn.sizes, static_cast<unsigned>(seed / 2 % 16));
    const NearOffsets offsets(grid, nodes);
    const NearOffsets* const near = seed % 2 == 0 ? nullptr : &offsets;
    const CostModel costs = near == nullptr ? CostModel(1.0) : CostModel(1.0).with_near(CostModel::through_slots(1.0));
    const NeighborhoodFacts facts(grid, drawn.hood);
    const alltoall::Problem problem{grid, facts, {}, {}, true, costs, drawn.bytes};
    const std::vector<std::int64_t> bytes = alltoall::travelling_bytes(problem);
    PathSearch search(facts, bytes, costs, near);
    const auto& projections = facts.get<Projections>();
    const FoldedNeighborhood& folded = facts.folded();
    const auto expect_predicted = [&](std::span<const PathPart> parts) {
      const PathExpansion expansion = projections.expand(parts);
      expect_equal(search.predict(parts), counted(expansion, bytes, costs, near));
      expect_same_paths(expansion, expand_in_parts(grid, folded, parts, "any"));
    };
    expect_predicted(random_parts(drawn.random, grid, folded));
    expect_predicted(projections.dimension_wise());
    expect_predicted(projections.logarithmic());
    expect_predicted(search.best_groups());
    expect_predicted(search.best_mixture());
    expect_equal(search.predict_through_neighbors(),
                 counted(expand_through_neighbors(grid, folded), bytes, costs, near));
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

/// Calls visit(parts) for every partition of the dimensions from `k` on, beyond what `parts` has.
void for_each_partition(int k, int d, std::vector<PathPart>& parts,
                        const std::function<void(std::span<const PathPart>)>& visit) {
  if (k == d) return visit(parts);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    parts[part].dimensions.push_back(k);
    for_each_partition(k + 1, d, parts, visit);
    parts[part].dimensions.pop_back();
  }
  parts.push_back({{k}, 0, std::nullopt});
  for_each_partition(k + 1, d, parts, visit);
  parts.pop_back();
}

/// Copies apart, which depend on all parts together, the partition found is the best there is.
TEST(PathSearch, FindsTheBestPartition) {
  int in_one_stage = 0;
  int apart = 0;
  int between = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Drawn drawn(seed, 5);
    const Grid grid(drawn.sizes, drawn.periods, 0);
    const CostModel costs(kNoCopies);
    const NeighborhoodFacts facts(grid, drawn.hood);
    PathSearch search(facts, drawn.bytes, costs);
    double best = std::numeric_limits<double>::infinity();
    std::vector<PathPart> none;
    for_each_partition(0, grid.dimensions(), none, [&](std::span<const PathPart> parts) {
      best = std::min(best, search.predict(parts).nanoseconds);
    });
    const std::vector<PathPart> found = search.best_groups();
    EXPECT_NEAR(search.predict(found).nanoseconds, best, 1e-9 * best) << "seed " << seed;
    EXPECT_LE(search.predict(search.best_mixture()).nanoseconds, best * (1 + 1e-9)) << "seed " << seed;
    if (grid.dimensions() == 1) continue;
    ++(found.size() == 1 ? in_one_stage : std::ssize(found) == grid.dimensions() ? apart : between);
  }
  for (const int times : {in_one_stage, apart, between}) EXPECT_GT(times, 0);
}

/// Calls visit(parts) for every way to cross the parts from `at` on at once or in digits.
void for_each_crossing(const Grid& grid, const FoldedNeighborhood& folded, std::vector<PathPart> parts, std::size_t at,
                       const std::function<void(std::span<const PathPart>)>& visit) {
  if (at == parts.size()) return visit(parts);
  for_each_crossing(grid, folded, parts, at + 1, visit);
  std::vector<std::uint32_t> all(folded.size());
  std::iota(all.begin(), all.end(), 0U);
  for (const LinearEmbedding& embedding : linear_embeddings(grid, folded, parts[at].dimensions, all)) {
    parts[at].embedding = embedding;
    for (const int radix : {2, 3, 4, 8, 16}) {
      parts[at].radix = radix;
      for_each_crossing(grid, folded, parts, at + 1, visit);
    }
  }
}

/// Also where parts may be crossed in digits, and where single stages, which have no second phase, compete with them.
TEST(PathSearch, FindsTheBestMixture) {
  int in_one_stage = 0;
  int apart = 0;
  int apart_in_digits = 0;
  int together_in_digits = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const int d = draw(1, 3);
    std::vector<int> sizes;
    std::vector<int> periods;
    std::vector<int> direction;
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 40));
      periods.push_back(draw(0, 1));
      direction.push_back(draw(-1, 1));
    }
    // Multiples of one vector, but for one dimension in some.
    const int freely = draw(0, 3);
    const int most = draw(1, 30);
    const int most_bytes = draw(0, 1) == 0 ? 8 : 300;
    Neighborhood hood(d);
    std::vector<std::int64_t> bytes;
    for (int i = draw(0, 50); i > 0; --i) {
      const int multiple = draw(-most, most);
      std::vector<int> offset;
      for (int k = 0; k < d; ++k)
        offset.push_back(k == freely ? draw(-2, 2) : multiple * direction[static_cast<std::size_t>(k)]);
      hood.add(offset);
      bytes.push_back(draw(0, 5) == 0 ? 0 : draw(1, most_bytes));
    }
    const Grid grid(sizes, periods, 0);
    const CostModel costs(kNoCopies);
    const NeighborhoodFacts facts(grid, hood);
    PathSearch search(facts, bytes, costs);
    double best = std::numeric_limits<double>::infinity();
    std::vector<PathPart> none;
    for_each_partition(0, d, none, [&](std::span<const PathPart> parts) {
      for_each_crossing(grid, facts.folded(), {parts.begin(), parts.end()}, 0,
                        [&](const auto& crossed) { best = std::min(best, search.predict(crossed).nanoseconds); });
    });
    const std::vector<PathPart> found = search.best_mixture();
    const Prediction prediction = search.predict(found);
    EXPECT_NEAR(prediction.nanoseconds, best, 1e-9 * best) << "seed " << seed;
    if (d == 1 || prediction.phases == 0) continue;
    const bool in_digits = std::ranges::any_of(found, [](const PathPart& part) { return part.radix != 0; });
    if (found.size() == 1)
      ++(in_digits ? together_in_digits : in_one_stage);
    else
      ++(in_digits ? apart_in_digits : apart);
  }
  for (const int times : {in_one_stage, apart, apart_in_digits, together_in_digits}) EXPECT_GT(times, 0);
}

PathSearch search_on(const NeighborhoodFacts& facts, const CostModel& costs) {
  const std::vector<std::int64_t> bytes(static_cast<std::size_t>(facts.neighborhood().size()), 8);
  return {facts, bytes, costs};
}

TEST(PathSearch, LogarithmicTakesAStagePerPower) {
  const CostModel costs(1.0);
  const std::array sizes{16, 9};
  const Grid grid(sizes, 0);
  const Neighborhood hood = box(2, 8, 0);
  const NeighborhoodFacts facts(grid, hood);
  const PathExpansion expansion =
      expand_in_parts(grid, facts.folded(), facts.get<Projections>().logarithmic(), "logarithmic");
  ASSERT_EQ(expansion.stages().size(), 3U + 3U);
  for (std::size_t stage = 0; stage < 3; ++stage) {
    ASSERT_EQ(expansion.steps(expansion.stages()[stage]), 1U);
    EXPECT_EQ(expansion.step(expansion.stages()[stage], 0)[0], 1 << stage);
  }
  // Offsets of both signs: as the nearest, 3 bits each way; as they are, 1 to 15, 4 bits.
  const Neighborhood both = moore(1, 7);
  const auto rounds_among = [&](int size) {
    const Grid ring(std::array{size}, 0);
    const NeighborhoodFacts on_ring(ring, both);
    return search_on(on_ring, costs).predict(on_ring.get<Projections>().logarithmic()).rounds;
  };
  EXPECT_EQ(rounds_among(16), 4);
  EXPECT_EQ(rounds_among(64), 6);
}

/// Neighborhoods for which dimension-wise routing is not the best (ICPP 2019, section 3.4 leaves that open).
TEST(PathSearch, BeatsDimensionWiseRouting) {
  const CostModel costs(1.0);
  const Grid grid(std::array{100, 100, 100}, 0);

  Neighborhood diagonal(3);  // one vector's multiples: as many steps in any single dimension as in all together
  for (int m = 1; m <= 64; ++m) diagonal.add(std::vector{m, m, 0});
  const NeighborhoodFacts of_diagonal(grid, diagonal);
  PathSearch on_diagonal = search_on(of_diagonal, costs);
  const Prediction by_digits = on_diagonal.predict(on_diagonal.best_mixture());
  EXPECT_LT(by_digits.rounds, 20);
  EXPECT_EQ(on_diagonal.predict(of_diagonal.get<Projections>().dimension_wise()).rounds, 128);

  Neighborhood plane(3);  // a diagonal in two dimensions, times three in the other
  for (int m = -2; m <= 2; ++m) {
    for (int n = -1; n <= 1; ++n) plane.add(std::vector{m, -m, n});
  }
  const NeighborhoodFacts of_plane(grid, plane);
  PathSearch on_plane = search_on(of_plane, costs);
  const std::vector<PathPart> groups = on_plane.best_groups();
  EXPECT_EQ(describe(groups), "dimensions 0+1, 2");
  EXPECT_EQ(on_plane.predict(groups).rounds, 4 + 2);
  EXPECT_EQ(on_plane.predict(of_plane.get<Projections>().dimension_wise()).rounds, 4 + 4 + 2);
}

TEST(PathSearch, MergesManyDimensionsGreedily) {
  const CostModel costs(1.0);
  std::vector<int> sizes(9, 3);
  sizes[0] = sizes[5] = 50;
  const Grid grid(sizes, 0);
  Neighborhood hood(9);  // dimensions 0 and 5 move together
  for (int m = 1; m <= 20; ++m) {
    for (int k = 0; k < 9; ++k) {
      std::vector<int> offset(9);
      offset[0] = m;
      offset[5] = 2 * m;
      if (k != 0 && k != 5) offset[static_cast<std::size_t>(k)] = 1;
      hood.add(offset);
    }
  }
  const NeighborhoodFacts facts(grid, hood);
  PathSearch search = search_on(facts, costs);
  const std::string found = describe(search.best_groups());
  EXPECT_NE(found.find("0+"), std::string::npos) << found;
  EXPECT_LT(search.predict(search.best_groups()).nanoseconds,
            search.predict(facts.get<Projections>().dimension_wise()).nanoseconds);
}

/// Nobody's own place on the grid matters.
TEST(PathSearch, TheSameOnAllRanks) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Drawn drawn(seed, 3);
    const CostModel costs(1.0);
    const Grid first(drawn.sizes, drawn.periods, 0);
    const NeighborhoodFacts facts(first, drawn.hood);
    PathSearch there(facts, drawn.bytes, costs);
    const std::string found = describe(there.best_mixture());
    for (int rank = 1; rank < first.size(); rank += 7) {
      const Grid grid = first.seen_from(rank);
      const NeighborhoodFacts seen_from_here(grid, drawn.hood);
      PathSearch here(seen_from_here, drawn.bytes, costs);
      EXPECT_EQ(describe(here.best_mixture()), found);
    }
  }
}

}  // namespace
}  // namespace rondo::internal::expansion_search_test
