// What the Cartesian alltoall algorithms build, and which is chosen. That what they build is right: sweep.cpp.
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_alltoall/ring.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/nodes/costs_by_way.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace rondo::internal::alltoall::algorithms_test {
namespace {

/// A problem of t equal blocks on a grid, for looking at schedules without running them.
struct Sample {
  Sample(std::vector<int> sizes, Neighborhood given, std::int64_t bytes)
      : grid(sizes, 0), hood(std::move(given)), layout(Layout::contiguous(bytes)), costs(1.0) {
    for (int i = 0; i < hood.size(); ++i) shapes.push_back({i * bytes, &layout});
    block_sizes.assign(shapes.size(), bytes);
  }
  [[nodiscard]] Problem problem(bool uniform = true) const {
    return {grid, facts, shapes, shapes, uniform, costs, block_sizes};
  }

  Grid grid;
  Neighborhood hood;
  NeighborhoodFacts facts{grid, hood};
  Layout layout;
  CostModel costs;
  std::vector<BlockShape> shapes;
  std::vector<std::int64_t> block_sizes;
};

struct RoundsAndVolume {
  int rounds = 0;
  int volume = 0;
};

RoundsAndVolume measure(const Schedule& schedule) {
  RoundsAndVolume result;
  for (const Task& task : schedule.tasks()) {
    if (task.kind != TaskKind::send) continue;
    ++result.rounds;
    result.volume += static_cast<int>(task.part_count);
  }
  return result;
}

/// ICPP 2019, table 1, from the schedules that are built. Its ratios count the zero vector (t = n^d), its row t does
/// not; for d = 2, n = 3 it prints 1.167, a slip of 1.667 = (9 - 4) / (12 - 9): all eleven others follow that formula.
TEST(CombiningAlltoall, TableOne) {
  struct Row {
    int d, n, t, rounds, volume;
    double cut_off;
  };
  constexpr Row kTable[] = {{2, 3, 8, 4, 12, 1.667},     {2, 4, 15, 6, 24, 1.250},      {2, 5, 24, 8, 40, 1.133},
                            {3, 3, 26, 6, 54, 0.778},    {3, 4, 63, 9, 144, 0.688},     {3, 5, 124, 12, 300, 0.646},
                            {4, 3, 80, 8, 216, 0.541},   {4, 4, 255, 12, 768, 0.477},   {4, 5, 624, 16, 2000, 0.443},
                            {5, 3, 242, 10, 810, 0.411}, {5, 4, 1023, 15, 3840, 0.358}, {5, 5, 3124, 20, 12500, 0.331}};
  for (const Row& row : kTable) {
    const Sample sample(std::vector<int>(static_cast<std::size_t>(row.d), 7), box(row.d, row.n, -1), 4);
    const auto combining = choose(sample.problem(), "combining", Ordering::dependencies);
    const auto direct = choose(sample.problem(), "direct", Ordering::dependencies);
    const RoundsAndVolume of_combining = measure(*combining.schedule);
    const RoundsAndVolume of_direct = measure(*direct.schedule);
    EXPECT_EQ(of_direct.rounds, row.t);
    EXPECT_EQ(of_direct.volume, row.t);
    EXPECT_EQ(of_combining.rounds, row.rounds) << "d=" << row.d << " n=" << row.n;
    EXPECT_EQ(of_combining.volume, row.volume) << "d=" << row.d << " n=" << row.n;
    EXPECT_EQ(combining.schedule->phases(), static_cast<unsigned>(row.d));
    const int t = sample.hood.size();
    EXPECT_NEAR(static_cast<double>(t - of_combining.rounds) / (of_combining.volume - t), row.cut_off, 0.0005);
  }
}

TEST(CostModel, CountsTheSecondPhaseOnce) {
  CostParameters parameters{};
  parameters.phase = 10;
  parameters.second_phase = 100;
  const CostModel costs(parameters);
  Prediction prediction;
  for (const double expected : {10.0, 120.0, 130.0}) {
    costs.add_phase(prediction);
    EXPECT_EQ(prediction.nanoseconds, expected) << prediction.phases << " phases";
  }
}

/// The paper's cut-off (section 3.1) is what the cost model says when it knows only alpha and beta.
TEST(CostModel, HasThePapersCutOffAsASpecialCase) {
  const double alpha = 1000;
  const double beta = 1;
  const CostModel linear(CostParameters{.message = alpha,
                                        .byte = beta,
                                        .burst = 512,
                                        .long_byte = beta,
                                        .eager_limit = INT64_MAX,
                                        .rendezvous = 0,
                                        .rendezvous_byte = 0,
                                        .copied_block = 0,
                                        .copied_byte = 0,
                                        .phase = 0});
  const double cut_off = alpha / beta * (26.0 - 6.0) / (54.0 - 26.0);  // d=3, n=3, without the zero vector
  for (const std::int64_t bytes : {1, 100, 713, 715, 5000}) {
    const Neighborhood zero(3, std::vector{0, 0, 0});
    const Sample sample({7, 7, 7}, box(3, 3, -1).minus(zero), bytes);
    const double combining =
        linear.schedule(*choose(sample.problem(), "combining", Ordering::dependencies).schedule).nanoseconds;
    const double direct =
        linear.schedule(*choose(sample.problem(), "direct", Ordering::dependencies).schedule).nanoseconds;
    EXPECT_EQ(combining < direct, static_cast<double>(bytes) < cut_off) << bytes;
  }
}

TEST(CombiningAlltoall, FoldsOffsetsOntoTheTorus) {
  const Sample sample({2, 2}, box(2, 5, -2), 8);
  const auto combining = choose(sample.problem(), "combining", Ordering::dependencies);
  EXPECT_EQ(measure(*combining.schedule).rounds, 2) << "one residue in each dimension";
  const auto coalesced = choose(sample.problem(), "coalesced", Ordering::dependencies);
  EXPECT_EQ(measure(*coalesced.schedule).rounds, 3) << "three other processes";
}

TEST(AlltoallAlgorithms, AutoIsNeverPredictedWorse) {
  for (const std::int64_t bytes : {4, 400, 40000}) {
    const Sample sample({4, 4}, box(2, 5, -1), bytes);
    const double chosen =
        sample.costs.schedule(*choose(sample.problem(), "auto", Ordering::dependencies).schedule).nanoseconds;
    for (const char* name : {"direct", "coalesced", "combining"}) {
      const auto other = choose(sample.problem(), name, Ordering::dependencies);
      EXPECT_LE(chosen, sample.costs.schedule(*other.schedule).nanoseconds) << name;
    }
  }
}

/// What a user asks for with rondo_messages.
TEST(AlltoallAlgorithms, ScatteredBlocksTravelInTheFormAskedFor) {
  Sample sample({4, 4}, moore(2, 1), 64);
  sample.layout = {};
  sample.layout.append({0, 8, 4, 16});
  for (const char* algorithm : {"direct", "coalesced", "combining"}) {
    SCOPED_TRACE(algorithm);
    const auto copies = [](const Schedule& schedule) {
      return std::ranges::count(schedule.tasks(), TaskKind::copy, &Task::kind);
    };
    const auto built = [&](MessageForm form) {
      return choose(sample.problem(), algorithm, Ordering::dependencies, form).schedule;
    };
    const auto as_datatypes = built(MessageForm::datatype);
    EXPECT_EQ(copies(*as_datatypes), 0);
    EXPECT_FALSE(as_datatypes->wire_layouts().empty());
    const auto staged = built(MessageForm::staged);
    EXPECT_GT(copies(*staged), 0);
    EXPECT_TRUE(staged->wire_layouts().empty());
    EXPECT_EQ(as_datatypes->messages().size(), staged->messages().size());
    EXPECT_TRUE(built(MessageForm::automatic)->wire_layouts().empty()) << "pieces are small";
  }
}

/// On a torus, every process does what is predicted.
TEST(AlltoallAlgorithms, PredictionsAreWhatIsBuilt) {
  for (const std::vector<int>& sizes : {std::vector{4, 4}, {2, 3}, {1, 7}, {9, 9}}) {
    for (const std::int64_t bytes : {0, 8, 4000, 5000}) {
      Sample sample(sizes, box(2, 5, -1), bytes);
      if (bytes > 0) sample.hood.add(std::vector{9, 2});  // a block without bytes
      sample.layout = Layout::contiguous(bytes);
      const Layout none;
      if (bytes > 0) {
        sample.shapes.push_back({0, &none});
        sample.block_sizes.push_back(0);
      }
      for (const Algorithm& row : registry().algorithms) {
        for (const Plan& plan : row.plans(sample.problem())) {
          if (plan.name.starts_with("ring of all")) continue;  // differs from process to process
          ScheduleBuilder builder;
          plan.build(sample.problem(), builder);
          const Prediction built = sample.costs.schedule(std::move(builder).build());
          if (built.rounds == 0) {  // copies only: not worth a prediction
            EXPECT_EQ(plan.prediction.nanoseconds, 0) << plan.name;
            continue;
          }
          EXPECT_EQ(plan.prediction.phases, built.phases) << plan.name;
          EXPECT_EQ(plan.prediction.rounds, built.rounds) << plan.name;
          EXPECT_EQ(plan.prediction.blocks, built.blocks) << plan.name;
          EXPECT_EQ(plan.prediction.bytes, built.bytes) << plan.name;
          EXPECT_EQ(plan.prediction.copied_blocks, built.copied_blocks) << plan.name;
          EXPECT_EQ(plan.prediction.copied_bytes, built.copied_bytes) << plan.name;
          EXPECT_NEAR(plan.prediction.nanoseconds, built.nanoseconds, 1e-6 * built.nanoseconds + 1e-6) << plan.name;
        }
      }
    }
  }
}

/// Blocks that MPI cannot count together, or not one by one.
TEST(AlltoallAlgorithms, LongMessagesAreSplitAsPredicted) {
  for (const std::int64_t bytes : {std::int64_t{1} << 29, std::int64_t{1} << 30, std::int64_t{3} << 30}) {
    const Sample sample({4, 3}, box(2, 5, -1), bytes);
    for (const char* name : {"coalesced", "combining", "logarithmic", "neighbors"}) {
      const Chosen chosen = choose(sample.problem(), name, Ordering::dependencies);
      const Prediction& predicted = chosen.candidates.front().prediction;
      const Prediction built = sample.costs.schedule(*chosen.schedule);
      EXPECT_EQ(predicted.rounds, built.rounds) << chosen.algorithm << ", " << bytes << " bytes";
      EXPECT_EQ(predicted.bytes, built.bytes) << chosen.algorithm << ", " << bytes << " bytes";
    }
  }
}

/// Blocks, and the sums of some, that fit neither ints nor 32 bits. Memory is not needed for a proof.
TEST(AlltoallAlgorithms, BlocksOfMoreBytesThanAnIntCounts) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  for (const bool mesh : {false, true}) {
    for (const std::int64_t more : {std::int64_t{0}, kGiB}) {
      const AlltoallCase given{.sizes = {3, 2},
                               .neighborhood = box(2, 3, -1),
                               .periods = mesh ? std::vector{0, 0} : std::vector<int>{},
                               .bytes = [&](int /*rank*/, int i) { return 3 * kGiB + 1 + i % 3 * more; }};
      for_each_alltoall(given, true, 0, [&](const CollectiveCase& each) { EXPECT_EQ(checked(each), ""); });
    }
  }
}

/// Around the ring of all processes they differ, and what is predicted is the average.
TEST(RingAlltoall, PredictionIsTheAverage) {
  for (const std::vector<int>& sizes : {std::vector{4, 4}, {2, 3}, {9, 9}, {3, 2, 5}}) {
    const Sample sample(sizes, box(static_cast<int>(sizes.size()), 4, -1), 100);
    const Prediction predicted = predict_ring(sample.problem());
    double blocks = 0;
    double copied = 0;
    for (int rank = 0; rank < sample.grid.size(); ++rank) {
      const Grid grid = sample.grid.seen_from(rank);
      const Problem problem{grid, sample.facts, sample.shapes, sample.shapes, true, sample.costs, sample.block_sizes};
      ScheduleBuilder builder;
      build_ring(problem, builder);
      const Prediction built = sample.costs.schedule(std::move(builder).build());
      EXPECT_EQ(built.rounds, predicted.rounds);
      blocks += static_cast<double>(built.blocks) / grid.size();
      copied += static_cast<double>(built.copied_blocks) / grid.size();
    }
    EXPECT_NEAR(blocks, static_cast<double>(predicted.blocks), static_cast<double>(predicted.rounds));
    EXPECT_NEAR(copied, static_cast<double>(predicted.copied_blocks), static_cast<double>(predicted.rounds));
  }
}

/// Too many ways around the ring to look at: it has no predicted time, and says so only where it was asked for.
TEST(RingAlltoall, ExplainsItselfWithoutAPrediction) {
  const Sample sample({64, 64, 64}, box(3, 14, 2), 8);
  const Chosen ring = choose(sample.problem(), "ring", Ordering::dependencies);
  ASSERT_EQ(ring.candidates.size(), 1U);
  const std::string table = explain(ring);
  EXPECT_EQ(table.find("do not know"), std::string::npos) << table;
  EXPECT_NE(table.find(ring.plan), std::string::npos) << table;
}

/// What a rank has of its own, its place on the grid, does not matter to what it predicts and so chooses.
TEST(AlltoallAlgorithms, AllRanksOfAMeshPredictAlike) {
  std::mt19937_64 random(11);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const CostModel costs(4.0);
  for (int round = 0; round < 60; ++round) {
    const int d = draw(1, 3);
    std::vector<int> sizes;
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) {
      sizes.push_back(draw(1, 5));
      periods.push_back(draw(0, 1));
    }
    Neighborhood hood(d);
    std::vector<std::int64_t> bytes;
    for (int i = draw(0, 20); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-6, 6));
      hood.add(offset);
      bytes.push_back(draw(0, 3) * 10);
    }
    const Grid first(sizes, periods, 0);
    std::vector<Candidate> expected;
    for (int rank = 0; rank < first.size(); ++rank) {
      const Grid grid = first.seen_from(rank);
      const NeighborhoodFacts facts(grid, hood);
      std::vector<Candidate> candidates;
      for (const Algorithm& row : registry().algorithms) {
        for (const Plan& plan : row.plans({grid, facts, {}, {}, true, costs, bytes}))
          candidates.push_back({plan.name, plan.prediction});
      }
      if (rank == 0) expected = candidates;
      ASSERT_EQ(candidates.size(), expected.size());
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        EXPECT_EQ(candidates[i].name, expected[i].name);
        EXPECT_EQ(candidates[i].prediction.nanoseconds, expected[i].prediction.nanoseconds) << candidates[i].name;
      }
    }
  }
}

TEST(AlltoallAlgorithms, EachNameIsToBeHad) {
  const Sample cube({5, 6, 7}, moore(3, 1), 8);
  const Sample line({40}, box(1, 20, 1), 8);
  for (const Algorithm& row : registry().algorithms) {
    const std::string_view name = row.name;
    const auto chosen_on = [&](const Sample& sample) {
      const NodeMembers nodes(test::some_nodes(sample.grid.size(), 0));
      Problem problem = sample.problem();
      problem.nodes = &nodes;
      return choose(problem, name, Ordering::dependencies);
    };
    const Chosen on_cube = chosen_on(cube);
    const Chosen on_line = chosen_on(line);
    if (name == "expansions") {
      const Sample longer({100}, box(1, 64, 1), 8);  // where it finds any
      EXPECT_EQ(choose(longer.problem(), name, Ordering::dependencies).algorithm, name);
      continue;
    }
    EXPECT_EQ(on_cube.note, "");
    EXPECT_EQ(on_cube.algorithm, name);
    EXPECT_EQ(on_line.algorithm, name);
    if (name == "ring") {
      EXPECT_EQ(on_cube.plan, "ring of all processes");
      EXPECT_EQ(on_line.plan, "ring of multiples of (1)");
      EXPECT_EQ(measure(*on_line.schedule).rounds, 5) << "log2 of 20, rounded up";
    }
  }
}

/// Where rounds cost most, the choice falls on expansions that dimension-wise routing knows nothing of.
TEST(AlltoallAlgorithms, AutoChoosesOtherExpansions) {
  const Sample line({100}, box(1, 64, 1), 8);
  const Chosen on_line = choose(line.problem(), "auto", Ordering::dependencies);
  EXPECT_LT(measure(*on_line.schedule).rounds, 64 / 2);
  EXPECT_EQ(on_line.algorithm, "expansions");
  EXPECT_NE(on_line.plan.find("in powers of"), std::string::npos) << on_line.plan;
  ASSERT_FALSE(on_line.candidates.empty());
  EXPECT_EQ(on_line.candidates.front().name, on_line.plan);
  for (const Candidate& other : on_line.candidates)
    EXPECT_GE(other.prediction.nanoseconds, on_line.candidates.front().prediction.nanoseconds);
}

TEST(AlltoallAlgorithms, WhatIsNotToBeHadIsSaid) {
  const Sample sample({4, 4}, moore(2, 1), 8);
  const auto chosen = choose(sample.problem(false), "combining", Ordering::dependencies);
  EXPECT_NE(chosen.algorithm, "combining");
  EXPECT_NE(chosen.note.find("combining was requested"), std::string::npos) << chosen.note;
}

/// Rows of a torus on nodes of their own: what goes along them is near.
class FarAndNear : public ::testing::Test {
 protected:
  [[nodiscard]] double predicted(const char* name, const Neighborhood& hood, const NearOffsets* near) const {
    Sample sample({3, 4}, hood, 8);
    sample.costs = costs;
    Problem problem = sample.problem();
    problem.near = near;
    return choose(problem, name, Ordering::dependencies).candidates.front().prediction.nanoseconds;
  }

  CostModel costs = test::costs_by_way();
  Grid grid{std::array{3, 4}, 0};
  std::vector<std::int64_t> nodes = test::nodes_by(std::array{3, 4}, 0b01);
  NearOffsets rows{grid, nodes};
};

TEST_F(FarAndNear, MessagesCostWhatTheyShould) {
  const Neighborhood hood = moore(2, 1).minus(Neighborhood(2, std::vector{0, 0}));
  for (const char* name : {"direct", "coalesced", "coalesced-where-it-pays"})
    EXPECT_EQ(predicted(name, hood, &rows), 6 * 1000 + 2 * 1) << name;
  for (const char* name : {"combining", "logarithmic", "neighbors"})
    EXPECT_EQ(predicted(name, hood, &rows), 2 * 1000 + 2 * 1) << name;
  EXPECT_EQ(predicted("direct", hood, nullptr), 8 * 1000) << "nobody knows";
  EXPECT_EQ(predicted("combining", hood, nullptr), 4 * 1000);
}

/// Near messages are cheaper than another wait, far ones are not.
TEST_F(FarAndNear, DecideWhetherMessagesAreCombined) {
  CostParameters far{};
  far.message = 1000;
  far.eager_limit = 1000;
  far.phase = 500;
  CostParameters near = far;
  near.message = 1;
  costs = CostModel(far).with_near(CostModel(near));
  const auto chosen = [&](const Neighborhood& hood, const NearOffsets* known) {
    Sample sample({3, 4}, hood, 8);
    sample.costs = costs;
    Problem problem = sample.problem();
    problem.near = known;
    return choose(problem, "auto", Ordering::dependencies).schedule->phases();
  };
  const Neighborhood row{{0, 1}, {0, 2}, {0, 3}};
  EXPECT_EQ(chosen(row, &rows), 1U);
  EXPECT_EQ(chosen(row, nullptr), 2U);
  EXPECT_EQ(chosen({{1, 0}, {1, 1}, {1, 2}, {1, 3}}, &rows), 2U) << "one far message, and then near ones";
}

/// Where a message costs little, its copies are not worth it.
TEST_F(FarAndNear, JoinOnlyWhereItPays) {
  CostParameters far{};
  far.message = 1000;
  far.eager_limit = 1000;
  far.copied_block = 10;
  CostParameters near = far;
  near.message = 1;
  costs = CostModel(far).with_near(CostModel(near));
  const Neighborhood hood{{0, 1}, {0, -3}, {1, 0}, {-2, 0}};  // two neighbors, each twice
  EXPECT_EQ(predicted("coalesced-where-it-pays", hood, &rows), 2 * 1 + 1000 + 4 * 10);
  Sample sample({3, 4}, hood, 8);
  sample.costs = costs;
  Problem problem = sample.problem();
  problem.near = &rows;
  const Chosen chosen = choose(problem, "coalesced-where-it-pays", Ordering::dependencies);
  EXPECT_EQ(measure(*chosen.schedule).rounds, 3) << "as predicted";
}

}  // namespace
}  // namespace rondo::internal::alltoall::algorithms_test
