// Every plan of every dense allgather, through the checker and the simulation.
#include "collectives/dense_allgather/algorithms.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/simulation.hpp"
#include "tests/support/dense/allgather_case.hpp"
#include "tests/support/nodes/messages_between.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::dense_allgather::algorithms_test {
namespace {

using test::DenseAllgatherCase;

std::function<std::int64_t(int)> all_of(std::int64_t bytes) {
  return [bytes](int) { return bytes; };
}

void expect_all_right(const DenseAllgatherCase& given) {
  std::uint64_t seed = 0;
  test::for_each_dense_allgather(given, [&](const CollectiveCase& each) {
    if (!given.nodes.empty() && each.name.find("node-aware") == std::string::npos) return;  // the others know no nodes
    ASSERT_EQ(checked(each), "");
    ASSERT_EQ(simulate({&each, 1}, seed++, 2), "");
  });
}

TEST(DenseAllgatherAlgorithms, AreRightForAllRankCounts) {
  for (int p = 1; p <= 20; ++p) {
    for (const bool in_place : {false, true}) {
      for (const bool scattered : {false, true}) {
        expect_all_right({.size = p, .bytes = all_of(8), .in_place = in_place, .scattered = scattered, .ports = p % 3});
        ASSERT_FALSE(::testing::Test::HasFatalFailure());
      }
    }
  }
}

TEST(DenseAllgatherAlgorithms, AreRightForBlocksOfAllSizes) {
  for (const int p : {1, 2, 3, 5, 8, 13}) {
    for (const bool in_place : {false, true}) {
      expect_all_right({.size = p, .bytes = all_of(0), .in_place = in_place});
      expect_all_right({.size = p, .bytes = all_of(3001), .in_place = in_place});
      expect_all_right({.size = p, .bytes = [](int rank) { return std::int64_t{rank % 4} * 7; }, .in_place = in_place});
      expect_all_right({.size = p,
                        .bytes = [p](int rank) { return std::int64_t{rank == p / 2 ? 500 : 0}; },
                        .in_place = in_place,
                        .scattered = false});
      ASSERT_FALSE(::testing::Test::HasFatalFailure());
    }
  }
}

/// On nodes in blocks, dealt out in turn, and anyhow.
TEST(DenseAllgatherAlgorithms, AreRightBetweenNodes) {
  for (int p = 3; p <= 14; ++p) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto nodes = test::some_nodes(p, 3 * seed + static_cast<std::uint64_t>(p));
      for (const bool in_place : {false, true}) {
        const bool scattered = seed % 2 == 0;
        expect_all_right({.size = p, .bytes = all_of(8), .in_place = in_place, .scattered = scattered, .nodes = nodes});
        expect_all_right({.size = p,
                          .bytes = [](int rank) { return std::int64_t{rank % 4} * 7; },
                          .in_place = in_place,
                          .scattered = scattered,
                          .nodes = nodes});
        ASSERT_FALSE(::testing::Test::HasFatalFailure());
      }
    }
  }
}

/// To each other node, and between any two ranks of different nodes no more than that.
TEST(DenseAllgatherAlgorithms, NodeAwareSendsOneMessageToEachNode) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const DenseAllgatherCase given{.size = 12, .bytes = all_of(8), .nodes = test::some_nodes(12, seed)};
    const NodeMembers nodes(given.nodes);
    if (!nodes.have_carriers()) continue;
    const CollectiveCase made = test::dense_allgather_case(given, "node-aware", build_node_aware);
    const auto messages = test::messages_between(made, nodes);
    EXPECT_EQ(std::ssize(messages), nodes.nodes() * (nodes.nodes() - 1)) << made.name;
    for (const auto& [pair, count] : messages) EXPECT_EQ(count, 1) << made.name;
  }
}

TEST(DenseAllgatherAlgorithms, AreRightForManyRanks) {
  for (const int p : {33, 64}) expect_all_right({.size = p, .bytes = all_of(5)});
}

TEST(DenseAllgatherAlgorithms, AreRightThroughSharedMemory) {
  std::uint64_t seed = 0;
  for (const Simulation::Ways ways : {Simulation::Ways::slots, Simulation::Ways::lanes, Simulation::Ways::mixed}) {
    for (const bool in_place : {false, true}) {
      test::for_each_dense_allgather({.size = 5, .bytes = all_of(300), .in_place = in_place, .nodes = {1, 2, 1, 3, 2}},
                                     [&](const CollectiveCase& each) {
                                       ASSERT_EQ(simulate({&each, 1}, seed++, 3, ways), "");
                                     });
    }
  }
}

/// Blocks of one size in a row, on one rank.
class DenseAllgatherChoice : public ::testing::Test {
 protected:
  struct Row {
    Row(int p, std::int64_t bytes) : layout(Layout::contiguous(bytes)) {
      for (int j = 0; j < p; ++j) shapes.push_back({j * bytes, &layout});
    }
    Layout layout;
    std::vector<BlockShape> shapes;
  };
  [[nodiscard]] Problem problem(const Row& row) const {
    return {.rank = 0,
            .size = static_cast<int>(std::ssize(row.shapes)),
            .send = row.shapes.front(),
            .recv = row.shapes,
            .costs = costs_};
  }
  /// On so many nodes of so many ranks, dealt out in turn; at a low price on a node.
  [[nodiscard]] Chosen chosen_between(int nodes, int each, std::int64_t bytes, const char* name = "auto") const {
    const Row row(nodes * each, bytes);
    std::vector<std::int64_t> numbers;
    for (int rank = 0; rank < nodes * each; ++rank) numbers.push_back(1 + rank % nodes);
    const NodeMembers members(numbers);
    const CostModel costs = costs_.with_near(CostModel::through_slots(1.0));
    return choose({.rank = 0,
                   .size = nodes * each,
                   .send = row.shapes.front(),
                   .recv = row.shapes,
                   .costs = costs,
                   .fewest_near = each - 1,
                   .nodes = &members},
                  name, Ordering::dependencies);
  }
  [[nodiscard]] Chosen chosen(int p, std::int64_t bytes, const char* name = "auto") const {
    const Row row(p, bytes);
    return choose(problem(row), name, Ordering::dependencies);
  }

  CostModel costs_{1.0};
};

TEST_F(DenseAllgatherChoice, FewRoundsForFewBytes) {
  const std::string algorithm = chosen(128, 1).algorithm;
  EXPECT_NE(algorithm, "direct");
  EXPECT_NE(algorithm, "ring");
}

TEST_F(DenseAllgatherChoice, SaysSoWhereAnAlgorithmDoesNotApply) {
  EXPECT_EQ(chosen(8, 8, "recursive-doubling").algorithm, "recursive-doubling");
  EXPECT_EQ(chosen(8, 8, "recursive-doubling").note, "");
  EXPECT_NE(chosen(7, 8, "recursive-doubling").algorithm, "recursive-doubling");
  EXPECT_NE(chosen(7, 8, "recursive-doubling").note.find("it does not apply to this allgather"), std::string::npos);
}

TEST_F(DenseAllgatherChoice, NodeAwareIsWhereNodesAre) {
  EXPECT_EQ(chosen_between(3, 8, 8).algorithm, "node-aware");
  const Chosen chosen_here = chosen(8, 8, "node-aware");
  EXPECT_NE(chosen_here.algorithm, "node-aware");
  EXPECT_NE(chosen_here.note.find("it does not apply to this allgather"), std::string::npos) << chosen_here.note;
}

/// Where the other nodes are as many as the ranks of each, or a multiple of that, all of these send alike.
TEST_F(DenseAllgatherChoice, NodeAwareIsPredictedAsBuilt) {
  for (const auto& [nodes, each] : {std::pair{4, 3}, {7, 3}, {7, 2}}) {
    const Chosen made = chosen_between(nodes, each, 24, "node-aware");
    const Prediction& predicted = made.candidates.front().prediction;
    const Prediction built = costs_.schedule(*made.schedule);
    EXPECT_EQ(predicted.rounds, built.rounds);
    EXPECT_EQ(predicted.blocks, built.blocks);
    EXPECT_EQ(predicted.bytes, built.bytes);
    EXPECT_EQ(predicted.phases, built.phases);
    EXPECT_LE(made.schedule->tags(), most_tags(nodes * each, 24));
  }
}

/// Tags are counted before a call's blocks are known to be long, or nodes to be of different sizes.
TEST_F(DenseAllgatherChoice, NodeAwareHasTagsEnough) {
  const std::int64_t bytes = std::int64_t{1} << 30;
  const Row row(9, bytes);
  const NodeMembers members(std::vector<std::int64_t>{1, 1, 2, 3, 1, 1, 1, 4, 1});
  for (int rank = 0; rank < 9; ++rank) {
    const Chosen made = choose(
        {.rank = rank, .size = 9, .send = row.shapes.front(), .recv = row.shapes, .costs = costs_, .nodes = &members},
        "node-aware", Ordering::dependencies);
    EXPECT_EQ(made.algorithm, "node-aware");
    EXPECT_LE(made.schedule->tags(), most_tags(9, bytes));
    EXPECT_GT(made.schedule->tags(), 4U);
  }
}

TEST_F(DenseAllgatherChoice, PredictionsAreWhatIsBuilt) {
  for (int p = 1; p <= 20; ++p) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{8}, std::int64_t{1} << 30}) {
      for (const char* name : {"direct", "ring", "bruck", "circulant", "recursive-doubling"}) {
        const Chosen made = chosen(p, bytes, name);
        if (!made.note.empty()) continue;
        SCOPED_TRACE(made.plan + ", p " + std::to_string(p) + ", bytes " + std::to_string(bytes));
        const Prediction& predicted = made.candidates.front().prediction;
        const Prediction built = costs_.schedule(*made.schedule);
        EXPECT_EQ(predicted.rounds, built.rounds);
        EXPECT_EQ(predicted.blocks, built.blocks);
        EXPECT_EQ(predicted.bytes, built.bytes);
        if (built.rounds > 0) {
          EXPECT_EQ(predicted.phases, built.phases);
        }
        EXPECT_LE(made.schedule->tags(), most_tags(p, bytes));
      }
    }
  }
}

/// A block for each rank but the own one is as little as there can be, in as few rounds.
TEST_F(DenseAllgatherChoice, RoundsAndVolumeAreOptimal) {
  for (int p = 2; p <= 40; ++p) {
    int rounds = 0;
    while ((1 << rounds) < p) ++rounds;
    for (const char* name : {"bruck", "circulant"}) {
      const Prediction predicted = chosen(p, 8, name).candidates.front().prediction;
      EXPECT_EQ(predicted.rounds, rounds);
      EXPECT_EQ(predicted.blocks, p - 1);
    }
  }
}

}  // namespace
}  // namespace rondo::internal::dense_allgather::algorithms_test
