// Every algorithm of allreduce and reduce-scatter, proven by the checker and run under the simulation's adversary.
#include "collectives/dense_reduction/algorithms.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/simulation.hpp"
#include "tests/support/dense/reduction_case.hpp"
#include "tests/support/nodes/messages_between.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::dense_reduction::algorithms_test {
namespace {

using test::DenseReductionCase;

/// Checked and simulated once each, with a RONDO_TEST_SCALE below 1 each third. `cases`: of each row that applies there
/// are four.
void expect_right(const DenseReductionCase& given, std::uint64_t seed, int cases) {
  static std::uint64_t number = 0;
  ++number;
  const int seen = test::for_each_dense_reduction(given, [&](const CollectiveCase& each) {
    if (!taken(number++, 3)) return;
    EXPECT_EQ(checked(each), "");
    EXPECT_EQ(simulate({&each, 1}, seed++, 2), "");
  });
  EXPECT_EQ(seen, cases);
}

/// Five algorithms of allreduce, and four of reduce-scatter, of which two and one keep order.
int cases_of(Kind kind, bool commutative) {
  if (kind == Kind::allreduce) return 4 * (commutative ? 5 : 2);
  return 4 * (commutative ? 4 : 1);
}

std::vector<std::int64_t> counts_for(Kind kind, int p, std::int64_t count) {
  return std::vector<std::int64_t>(kind == Kind::allreduce ? 1 : static_cast<std::size_t>(p), count);
}

TEST(DenseReductionAlgorithms, AnyNumberOfRanks) {
  for (int p = 1; p <= 18; ++p) {
    for (const Kind kind : {Kind::allreduce, Kind::reduce_scatter}) {
      for (const bool in_place : {false, true}) {
        for (const ByteOp* op : {&byte_sum(), &byte_composition()}) {
          const DenseReductionCase given{.size = p,
                                         .kind = kind,
                                         .counts = counts_for(kind, p, kind == Kind::allreduce ? 25 : 3),
                                         .op = op,
                                         .holes = p % 3 == 1,
                                         .in_place = in_place};
          expect_right(given, static_cast<std::uint64_t>(p), cases_of(kind, op == &byte_sum()));
        }
      }
    }
  }
}

/// Vectors that are shorter than the ranks are many, empty ones, and ones that are combined one by one.
TEST(DenseReductionAlgorithms, ShortAndLongVectors) {
  for (const int p : {2, 3, 6, 8}) {
    for (const Kind kind : {Kind::allreduce, Kind::reduce_scatter}) {
      for (const std::int64_t count : {0, 1, 5, 5000}) {
        for (const bool in_place : {false, true}) {
          const DenseReductionCase given{
              .size = p, .kind = kind, .counts = counts_for(kind, p, count), .in_place = in_place};
          expect_right(given, static_cast<std::uint64_t>(count), cases_of(kind, true));
        }
      }
    }
  }
}

TEST(DenseReductionAlgorithms, PartsOfDifferentSizes) {
  for (const int p : {2, 3, 5, 8, 13}) {
    for (const bool in_place : {false, true}) {
      DenseReductionCase given{.size = p, .kind = Kind::reduce_scatter, .counts = {}, .in_place = in_place};
      for (int j = 0; j < p; ++j) given.counts.push_back((j + 1) % 4 * 3);
      expect_right(given, static_cast<std::uint64_t>(p) + 100, cases_of(given.kind, true));
      given.op = &byte_composition();
      expect_right(given, static_cast<std::uint64_t>(p) + 100, cases_of(given.kind, false));
    }
  }
}

TEST(DenseReductionAlgorithms, ThroughPorts) {
  for (const int ports : {1, 2, 100}) {
    for (const Kind kind : {Kind::allreduce, Kind::reduce_scatter}) {
      const DenseReductionCase given{
          .size = 7, .kind = kind, .counts = counts_for(kind, 7, 12), .in_place = ports == 2, .ports = ports};
      expect_right(given, static_cast<std::uint64_t>(ports), cases_of(kind, true));
    }
  }
}

TEST(DenseReductionAlgorithms, BetweenNodes) {
  for (int p = 3; p <= 14; ++p) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const bool in_place = seed % 2 == 1;
      DenseReductionCase given{.size = p, .kind = Kind::allreduce, .counts = {9}, .in_place = in_place};
      given.nodes = test::some_nodes(p, 3 * seed + static_cast<std::uint64_t>(p));
      const NodeMembers nodes(given.nodes);
      if (!nodes.have_carriers()) continue;
      expect_right(given, seed, cases_of(given.kind, true) + 4);
      given.op = &byte_composition();
      expect_right(given, seed, cases_of(given.kind, false) + (nodes_keep_order(nodes) ? 4 : 0));
    }
  }
}

/// Of a part for each rank: all the same, and some without elements.
TEST(DenseReductionAlgorithms, ScatteredBetweenNodes) {
  for (int p = 3; p <= 14; ++p) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      DenseReductionCase given{
          .size = p, .kind = Kind::reduce_scatter, .counts = {}, .holes = seed == 2, .in_place = seed % 2 == 1};
      for (int j = 0; j < p; ++j) given.counts.push_back(seed < 2 ? 3 : (j + 1) % 4 * 3);
      given.nodes = test::some_nodes(p, 3 * seed + static_cast<std::uint64_t>(p));
      const NodeMembers nodes(given.nodes);
      if (!nodes.have_carriers()) continue;
      expect_right(given, seed, cases_of(given.kind, true) + 4);
      given.op = &byte_composition();
      expect_right(given, seed, cases_of(given.kind, false));
    }
  }
}

/// From each node to each other one.
TEST(DenseReductionAlgorithms, NodeAwareScatterSendsOneMessageToEachNode) {
  const Algorithm& row = *std::ranges::find(registry().algorithms, "node-aware", &Algorithm::name);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const DenseReductionCase given{.size = 12,
                                   .kind = Kind::reduce_scatter,
                                   .counts = counts_for(Kind::reduce_scatter, 12, 4),
                                   .nodes = test::some_nodes(12, seed)};
    const NodeMembers nodes(given.nodes);
    if (!nodes.have_carriers()) continue;
    const CollectiveCase made = test::dense_reduction_case(given, row, 0);
    const auto messages = test::messages_between(made, nodes);
    EXPECT_EQ(std::ssize(messages), nodes.nodes() * (nodes.nodes() - 1)) << made.name;
    for (const auto& [pair, count] : messages) EXPECT_EQ(count, 1) << made.name;
  }
}

class NamedReduction : public ::testing::Test {
 protected:
  static constexpr std::int64_t kCount = 16;
  [[nodiscard]] Chosen named(Kind kind, std::string_view name, bool commutative, int p = 6,
                             const NodeMembers* nodes = nullptr, double ranks_per_core = 1) {
    const std::vector<std::int64_t> counts = counts_for(kind, p, kCount);
    std::vector<BlockShape> send(counts.size(), {0, &block_});
    const Problem problem{.rank = 1,
                          .size = p,
                          .kind = kind,
                          .send = send,
                          .counts = counts,
                          .recv = {0, &block_},
                          .op = {(commutative ? byte_sum() : byte_composition()).op, MPI_BYTE, &element_, commutative},
                          .costs = costs_,
                          .ranks_per_core = ranks_per_core,
                          .nodes = nodes};
    return choose(problem, name, Ordering::dependencies);
  }

 private:
  Layout element_ = flatten(MPI_BYTE);
  Layout block_ = Layout::contiguous(kCount);
  CostModel costs_{1.0};
};

TEST_F(NamedReduction, EachNameIsToBeHad) {
  for (const Algorithm& row : registry().algorithms) {
    if (row.name == "node-aware") continue;  // which needs nodes
    const bool of_one_only = row.name == "recursive-halving";
    const Kind kind = of_one_only ? Kind::reduce_scatter : Kind::allreduce;
    EXPECT_EQ(named(kind, row.name, true).algorithm, row.name);
    EXPECT_EQ(named(kind, row.name, true).note, "");
  }
}

TEST_F(NamedReduction, OrderIsKeptWhateverIsAskedFor) {
  for (const char* name : {"halving-doubling", "ring", "circulant"}) {
    const Chosen chosen = named(Kind::allreduce, name, false);
    EXPECT_TRUE(chosen.algorithm == "direct" || chosen.algorithm == "recursive-doubling") << chosen.algorithm;
    EXPECT_EQ(chosen.note, "algorithm " + std::string(name) +
                               " was requested but is not available: op is not commutative, and it does not keep the "
                               "order of the ranks; running \"" +
                               chosen.algorithm + "\" instead");
  }
  EXPECT_EQ(named(Kind::allreduce, "recursive-doubling", false).note, "");
  EXPECT_NE(named(Kind::reduce_scatter, "recursive-doubling", false).note.find("does not apply"), std::string::npos);
  EXPECT_NE(named(Kind::allreduce, "bruck", false).note.find("there is none for dense reduction"), std::string::npos);
}

void expect_as_predicted(const Chosen& chosen) {
  const Prediction& predicted = chosen.candidates.front().prediction;
  const Prediction built = CostModel(1.0).schedule(*chosen.schedule);
  EXPECT_EQ(predicted.rounds, built.rounds);
  EXPECT_EQ(predicted.bytes, built.bytes);
  EXPECT_EQ(predicted.phases, built.phases);
  std::int64_t reduced = 0;
  for (const Task& task : chosen.schedule->tasks()) reduced += task.kind == TaskKind::reduce ? task.bytes : 0;
  EXPECT_EQ(predicted.reduced_bytes, reduced);
}

/// Messages, their bytes, phases and what is combined are those of the schedules, where no rank is folded and all parts
/// are equal.
TEST_F(NamedReduction, DoesWhatIsPredicted) {
  for (const Algorithm& row : registry().algorithms) {
    for (const Kind kind : {Kind::allreduce, Kind::reduce_scatter}) {
      const Chosen chosen = named(kind, row.name, true, 8);
      if (chosen.algorithm != row.name) continue;
      SCOPED_TRACE(row.name);
      expect_as_predicted(chosen);
    }
  }
}

/// Where the other nodes are a multiple of the ranks of each, all ranks have the same to do.
TEST_F(NamedReduction, ScattersBetweenNodesAsPredicted) {
  for (const auto& [count, each] : {std::pair{4, 3}, {7, 3}, {7, 2}}) {
    std::vector<std::int64_t> numbers;
    for (int rank = 0; rank < count * each; ++rank) numbers.push_back(1 + rank % count);
    const NodeMembers nodes(numbers);
    const Chosen chosen = named(Kind::reduce_scatter, "node-aware", true, count * each, &nodes);
    ASSERT_EQ(chosen.algorithm, "node-aware");
    expect_as_predicted(chosen);
    const Chosen ordered = named(Kind::reduce_scatter, "node-aware", false, count * each, &nodes);
    EXPECT_EQ(ordered.algorithm, "direct");
    EXPECT_NE(ordered.note.find("it does not keep the order of the ranks"), std::string::npos) << ordered.note;
  }
}

/// Where a vector is packed once, sending it to more ranks costs hardly more than their words.
TEST_F(NamedReduction, AVectorIsPackedOnceForAll) {
  const auto predicted = [&](const CostModel& costs, int p) {
    const std::vector<std::int64_t> counts{100000};
    const Layout vector = Layout::contiguous(counts[0]);
    const Layout element = flatten(MPI_BYTE);
    const std::vector<BlockShape> send{{0, &vector}};
    Problem problem{.rank = 0,
                    .size = p,
                    .kind = Kind::allreduce,
                    .send = send,
                    .counts = counts,
                    .recv = send[0],
                    .op = {byte_sum().op, MPI_BYTE, &element, true},
                    .costs = costs};
    Prediction reductions;
    costs.add_reductions(reductions, p - 1, (p - 1) * counts[0]);
    return predict_direct(problem).nanoseconds - reductions.nanoseconds;
  };
  const CostModel slots = CostModel::through_slots(1.0);
  const CostModel lanes = CostModel::through_lanes(1.0);
  EXPECT_LT(predicted(slots, 8), 1.2 * predicted(slots, 2));
  EXPECT_GT(predicted(lanes, 8), 3 * predicted(lanes, 2));
}

/// Where ranks share cores, another plan must save half of the time.
TEST_F(NamedReduction, TheDirectPlanIsPreferred) {
  EXPECT_NE(named(Kind::allreduce, "auto", true, 32).algorithm, "direct");
  const Chosen chosen = named(Kind::allreduce, "auto", true, 32, nullptr, 2);
  EXPECT_EQ(chosen.algorithm, "direct");
  EXPECT_NE(chosen.why.find("preferred unless another of 5 is predicted to take 50% less"), std::string::npos)
      << chosen.why;
}

TEST(DenseReductionAlgorithms, TagsSuffice) {
  for (int p = 1; p <= 40; ++p) {
    for (const Kind kind : {Kind::allreduce, Kind::reduce_scatter}) {
      test::for_each_dense_reduction({.size = p, .kind = kind, .counts = counts_for(kind, p, 1)},
                                     [&](const CollectiveCase& each) {
                                       for (const auto& schedule : each.schedules) {
                                         EXPECT_EQ(schedule->tags(), each.schedules.front()->tags()) << each.name;
                                         EXPECT_LE(schedule->tags(), most_tags(p)) << each.name;
                                       }
                                     });
    }
  }
}

}  // namespace
}  // namespace rondo::internal::dense_reduction::algorithms_test
