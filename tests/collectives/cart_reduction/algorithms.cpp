// What the reductions build, and which is chosen. That what they build is right: reduction_sweep.cpp.
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/cart_reduction/near_contributions.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "tests/support/cases/reduction_case.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal::reduction::algorithms_test {
namespace {

/// A problem of vectors of doubles, for looking at schedules without running them.
struct Sample {
  Sample(std::vector<int> sizes, std::vector<int> periods, Neighborhood given, Kind of_kind, int elements, int rank = 0)
      : grid(sizes, periods, rank),
        hood(std::move(given)),
        kind(of_kind),
        reduction(std::make_shared<const Reduction>(MPI_SUM, MPI_DOUBLE, elements, flatten(MPI_DOUBLE))),
        canonical(make_canonical({grid, hood}, kind)) {
    const int vectors = kind == Kind::reduce ? 1 : hood.size();
    for (int i = 0; i < vectors; ++i) shapes.push_back({i * reduction->layout().size(), &reduction->layout()});
  }
  [[nodiscard]] Problem problem() const {
    return {grid, canonical, kind, shapes, {0, &reduction->layout()}, reduction, costs};
  }
  [[nodiscard]] Chosen choose(std::string_view algorithm) const {
    return reduction::choose(problem(), algorithm, Ordering::dependencies);
  }

  Grid grid;
  Neighborhood hood;
  Kind kind;
  std::shared_ptr<const Reduction> reduction;
  Canonical canonical;
  CostModel costs{1.0};
  std::vector<BlockShape> shapes;
};

struct Counts {
  std::uint32_t phases = 0;
  std::int64_t rounds = 0;
  std::int64_t volume = 0;
  std::int64_t reductions = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.phases << " phases, " << counts.rounds << " rounds, " << counts.volume << " vectors, "
             << counts.reductions << " reductions";
}

Counts count(const Schedule& schedule) {
  Counts counts{schedule.phases()};
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::send) {
      ++counts.rounds;
      counts.volume += task.part_count;
    }
    if (task.kind == TaskKind::reduce) counts.reductions += std::max<std::int64_t>(1, task.part_count);
  }
  return counts;
}

TEST(Reductions, OfBoxes) {
  for (const auto& [d, n] : {std::pair{1, 3}, {2, 3}, {3, 3}, {4, 3}, {2, 4}, {3, 4}}) {
    const std::vector<int> sizes(static_cast<std::size_t>(d), 7);
    std::int64_t t = 1;
    for (int k = 0; k < d; ++k) t *= n;
    for (const std::int64_t with_zero : {1, 0}) {
      const Neighborhood zero(d, std::vector<int>(static_cast<std::size_t>(d)));
      const Neighborhood hood = with_zero == 1 ? box(d, n, -1) : box(d, n, -1).minus(zero);
      const Sample reduce(sizes, {}, hood, Kind::reduce, 4);
      const Sample scatter(sizes, {}, hood, Kind::scatter_reduce, 4);
      const auto phases = static_cast<std::uint32_t>(d);
      if (n == 3) {
        const Counts combining = count(*reduce.choose("combining").schedule);
        EXPECT_EQ(combining.phases, phases);
        EXPECT_EQ(combining.rounds, d * (n - 1)) << "issue 5";
        EXPECT_EQ(combining.volume, d * (n - 1)) << "one vector in each round";
        // Without the own vector, partial sums without it are needed as well, in each dimension.
        EXPECT_EQ(combining.reductions, with_zero == 1 ? 2 * d : 4 * d - 3);
      }
      EXPECT_EQ(count(*reduce.choose("direct").schedule), (Counts{1, t - 1, t - 1, t - 2 + with_zero}));
      EXPECT_EQ(count(*scatter.choose("direct").schedule), (Counts{1, t - 1, t - 1, t - 2 + with_zero}));
      EXPECT_EQ(count(*scatter.choose("combining").schedule), (Counts{phases, d * (n - 1), t - 1, t - 2 + with_zero}))
          << "ICPP 2019, table 1";
    }
  }
}

TEST(Reductions, OfManyOffsetsTakeLogarithmicallyManyRounds) {
  const Sample sample({30, 30, 30}, {}, box(3, 15, -7), Kind::reduce, 4);
  EXPECT_EQ(count(*sample.choose("logarithmic").schedule), (Counts{12, 12, 12, 18}));
  EXPECT_EQ(count(*sample.choose("combining").schedule), (Counts{3, 42, 42, 42}));
  EXPECT_EQ(count(*sample.choose("direct").schedule), (Counts{1, 3374, 3374, 3374}));
}

TEST(Reductions, FoldOffsetsOntoTheTorus) {
  const Neighborhood hood = box(2, 5, -2);
  const Sample reduce({2, 2}, {}, hood, Kind::reduce, 4);
  EXPECT_EQ(count(*reduce.choose("direct").schedule).rounds, 3) << "three other processes";
  EXPECT_EQ(count(*reduce.choose("combining").schedule).volume, 2);
  const Sample scatter({2, 2}, {}, hood, Kind::scatter_reduce, 4);
  EXPECT_EQ(count(*scatter.choose("direct").schedule), (Counts{2, 3, 3, 24}))
      << "vectors to one process are combined before they are sent";
}

/// A result is received and combined where it ends up.
TEST(Reductions, CopyNothingThatTheyNeedNot) {
  for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
    for (const char* name : {"direct", "combining"}) {
      const Sample sample({5, 5}, {}, box(2, 3, -1), kind, 4);
      const auto schedule = sample.choose(name).schedule;
      const auto copies = std::ranges::count(schedule->tasks(), TaskKind::copy, &Task::kind);
      const bool packs = kind == Kind::scatter_reduce && std::string(name) == "combining";
      EXPECT_EQ(copies, packs ? 2 : 0) << name;
    }
  }
}

/// Each has its message, its tag, and its counterpart.
TEST(Reductions, SplitMessagesThatAreTooLong) {
  const Layout operand = Layout::contiguous(std::int64_t{3} << 29U);
  const auto reduction = std::make_shared<const Reduction>(operand, 1);
  const ReductionCase flat{.sizes = {3, 3},
                           .periods = {1, 0},
                           .neighborhood = box(2, 3, -1),
                           .kind = Kind::scatter_reduce,
                           .reduction = reduction};
  ReductionCase deep = flat;  // with rounds of more messages than there are rounds
  deep.sizes = {3, 3, 3};
  deep.periods = {1, 0, 1};
  deep.neighborhood = box(3, 3, -1);
  for (const ReductionCase& given : {flat, deep}) {
    int plans = 0;
    for_each_plan(given, byte_fold(), [&](const CollectiveCase& each) {
      ++plans;
      EXPECT_EQ(checked(each), "");
      for (const auto& schedule : each.schedules) {
        for (const Task& task : schedule->tasks()) {
          EXPECT_TRUE(task.kind != TaskKind::send || task.part_count == 1);
        }
      }
    });
    EXPECT_EQ(plans, 4);
  }
}

TEST(Reductions, DirectGoesThroughAsManyPortsAsThereAre) {
  const Sample sample({5, 5}, {}, box(2, 3, -1), Kind::reduce, 4);
  Problem problem = sample.problem();
  const auto roots = [&](int ports) {
    problem.ports = ports;
    const Chosen direct = choose(problem, "direct", Ordering::dependencies);
    EXPECT_EQ(direct.candidates.front().prediction.phases, ports == 0 ? 1 : (8 + ports - 1) / ports);
    return direct.schedule->root_messages();
  };
  EXPECT_EQ(roots(0), 16U);
  EXPECT_EQ(roots(3), 6U);
  EXPECT_EQ(roots(1), 2U);
}

TEST(Reductions, OfNothing) {
  const Sample empty({3, 3}, {}, Neighborhood(2), Kind::reduce, 4);
  const Sample no_bytes({3, 3}, {}, moore(2, 1), Kind::scatter_reduce, 0);
  const Sample beyond({3, 3}, {0, 0}, Neighborhood{{3, 0}, {0, -4}}, Kind::reduce, 4);
  for (const Sample* sample : {&empty, &no_bytes, &beyond}) {
    for (const char* name : {"auto", "direct", "combining", "logarithmic"})
      EXPECT_TRUE(sample->choose(name).schedule->tasks().empty());
  }
}

TEST(Reductions, AutoIsNeverPredictedWorse) {
  for (const int elements : {1, 100, 10000}) {
    for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
      for (const Neighborhood& hood : {box(2, 5, -1), moore(2, 1), box(2, 15, -7), von_neumann(2, 3)}) {
        const Sample sample({16, 16}, {1, 0}, hood, kind, elements);
        const Chosen chosen = sample.choose("auto");
        EXPECT_EQ(chosen.candidates.front().name, chosen.plan);
        EXPECT_EQ(chosen.candidates.size(), 4U);
        for (const char* name : {"direct", "combining", "logarithmic"}) {
          EXPECT_LE(chosen.candidates.front().prediction.nanoseconds,
                    sample.choose(name).candidates.front().prediction.nanoseconds);
        }
      }
    }
  }
}

/// On a mesh, schedules differ from rank to rank; the choice does not.
TEST(Reductions, AllRanksChooseAlike) {
  for (const int elements : {1, 1000}) {
    std::string algorithm;
    std::vector<double> predictions;
    for (int rank = 0; rank < 20; ++rank) {
      const Sample sample({5, 4}, {0, 1}, moore(2, 2), Kind::reduce, elements, rank);
      const Chosen chosen = sample.choose("auto");
      std::vector<double> here;
      for (const Candidate& candidate : chosen.candidates) here.push_back(candidate.prediction.nanoseconds);
      if (rank == 0) {
        algorithm = chosen.algorithm;
        predictions = here;
      }
      EXPECT_EQ(chosen.algorithm, algorithm);
      EXPECT_EQ(here, predictions);
      EXPECT_EQ(chosen.schedule->tags(), sample.choose("auto").schedule->tags());
    }
  }
}

/// Predictions are what a schedule does on a torus, also where MPI cannot count two vectors together, or not one.
TEST(Reductions, DoWhatIsPredicted) {
  for (const int elements : {3, 1 << 27, 1 << 29}) {
    for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
      for (const Neighborhood& hood : {box(2, 5, -1), moore(2, 1), box(2, 9, -4), von_neumann(2, 3)}) {
        const Sample sample({16, 16}, {}, hood, kind, elements);
        for (const char* name : {"direct", "combining", "logarithmic", "auto"}) {
          const Chosen chosen = sample.choose(name);
          const Prediction& prediction = chosen.candidates.front().prediction;
          const Counts counts = count(*chosen.schedule);
          EXPECT_EQ(counts, (Counts{static_cast<std::uint32_t>(prediction.phases), prediction.rounds, prediction.blocks,
                                    prediction.reductions}));
          EXPECT_EQ(prediction.bytes, std::int64_t{8} * elements * prediction.blocks);
        }
      }
    }
  }
}

/// Rows of a torus on nodes of their own: what comes along them is near.
TEST(Reductions, CountFarAndNearMessages) {
  for (const Kind kind : {Kind::reduce, Kind::scatter_reduce}) {
    Sample sample({3, 4}, {}, moore(2, 1), kind, 8);
    CostParameters far{};
    far.message = 1000;
    far.eager_limit = 1000;
    far.reduction = far.reduced_byte = 0;
    far.phase = 100000;
    CostParameters near = far;
    near.message = 1;
    near.phase = 10000;
    sample.costs = CostModel(far).with_near(CostModel(near));
    const std::vector<std::int64_t> nodes = test::nodes_by(sample.grid.sizes(), 0b01);
    const NearOffsets rows(sample.grid, nodes);
    Problem problem = sample.problem();
    const auto predicted = [&](const char* name) {
      return reduction::choose(problem, name, Ordering::dependencies).candidates.front().prediction.nanoseconds;
    };
    EXPECT_EQ(predicted("direct"), 8 * 1000 + 100000) << "nobody knows";
    problem.near = &rows;
    problem.near_contributions = near_contributions({sample.grid, sample.hood}, kind, &rows);
    EXPECT_EQ(predicted("direct"), 6 * 1000 + 2 * 1 + 100000);
    EXPECT_EQ(predicted("combining"), 2 * 1000 + 2 * 1 + 100000 + 10000);
  }
}

/// Neighbors that are one process send a reduce one vector together, as their distance is the same.
TEST(Reductions, CountWhatADirectOneReceives) {
  const Grid ring(std::array{4}, 0);
  const Neighborhood hood{{2}, {-2}, {1}, {0}};
  const std::vector<std::int64_t> nodes{1, 2, 1, 2};
  const NearOffsets offsets(ring, nodes);
  EXPECT_EQ(near_contributions({ring, hood}, Kind::reduce, &offsets), 1);
  EXPECT_EQ(near_contributions({ring, hood}, Kind::scatter_reduce, &offsets), 2);
  EXPECT_EQ(near_contributions({ring, hood}, Kind::reduce, nullptr), 0);
}

TEST(Reductions, WhatIsNotToBeHadIsSaid) {
  const Sample sample({4, 4}, {}, moore(2, 1), Kind::reduce, 8);
  const Chosen chosen = sample.choose("ring");
  EXPECT_NE(chosen.note.find("ring was requested"), std::string::npos) << chosen.note;
}

}  // namespace
}  // namespace rondo::internal::reduction::algorithms_test
