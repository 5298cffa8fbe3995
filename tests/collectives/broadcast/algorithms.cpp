// Every plan of every broadcast, through the checker and the simulation.
#include "collectives/broadcast/algorithms.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "tests/support/cases/simulation.hpp"
#include "tests/support/dense/broadcast_case.hpp"
#include "tests/support/nodes/messages_between.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace rondo::internal::broadcast::algorithms_test {
namespace {

using test::BroadcastCase;

void expect_all_right(const BroadcastCase& given) {
  std::uint64_t seed = 0;
  test::for_each_broadcast(given, [&](const CollectiveCase& each) {
    if (!given.nodes.empty() && each.name.find("node-aware") == std::string::npos) return;  // the others know no nodes
    ASSERT_EQ(checked(each), "");
    ASSERT_EQ(simulate({&each, 1}, seed++, 2), "");
  });
}

TEST(BroadcastAlgorithms, AreRightForAllRankCountsAndRoots) {
  for (int p = 1; p <= 17; ++p) {
    for (const int root : {0, p / 2, p - 1}) {
      for (const bool scattered : {false, true}) {
        expect_all_right({.size = p, .root = root, .bytes = 1, .scattered = scattered});
        expect_all_right({.size = p, .root = root, .bytes = 1000, .scattered = scattered, .segment = 70});
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST(BroadcastAlgorithms, SendNothingOfNothing) {
  for (const int p : {1, 2, 7}) {
    test::for_each_broadcast({.size = p, .root = p - 1, .bytes = 0}, [&](const CollectiveCase& each) {
      EXPECT_EQ(checked(each), "");
      for (const auto& schedule : each.schedules) EXPECT_TRUE(schedule->tasks().empty()) << each.name;
    });
  }
}

TEST(BroadcastAlgorithms, AreRightForManyRanks) {
  for (const int p : {33, 64}) expect_all_right({.size = p, .root = p / 3, .bytes = 40000});
}

/// In blocks, dealt out in turn, and anyhow.
TEST(BroadcastAlgorithms, AreRightBetweenNodes) {
  for (int p = 3; p <= 14; ++p) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const int root = static_cast<int>(seed * 5) % p;
      expect_all_right({.size = p,
                        .root = root,
                        .bytes = seed % 2 == 0 ? 1000 : 3,
                        .scattered = seed % 4 < 2,
                        .segment = 70,
                        .nodes = test::some_nodes(p, 3 * seed + static_cast<std::uint64_t>(p))});
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

/// The block, or each part of it, goes once to each other node, whichever plan it is.
TEST(BroadcastAlgorithms, NodeAwareSendsOnceToEachNode) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const BroadcastCase given{
        .size = 12, .root = static_cast<int>(seed), .bytes = 128, .segment = 64, .nodes = test::some_nodes(12, seed)};
    const NodeMembers nodes(given.nodes);
    int plans = 0;
    test::for_each_broadcast(given, [&](const CollectiveCase& each) {
      if (each.name.find("node-aware") == std::string::npos) return;
      ++plans;
      const int parts = each.name.find("2 times 64 bytes") == std::string::npos ? 1 : 2;
      const auto messages = test::messages_between(each, nodes);
      std::set<int> reached{nodes.node_of(given.root)};
      for (const auto& [pair, count] : messages) {
        EXPECT_EQ(count, parts) << each.name;
        EXPECT_TRUE(reached.insert(pair.second).second) << each.name;
      }
      EXPECT_EQ(std::ssize(reached), nodes.nodes()) << each.name;
    });
    EXPECT_EQ(plans > 0, nodes.have_carriers());
  }
}

/// Through slots and lanes.
TEST(BroadcastAlgorithms, AreRightThroughSharedMemory) {
  std::uint64_t seed = 0;
  for (const Simulation::Ways ways : {Simulation::Ways::slots, Simulation::Ways::lanes, Simulation::Ways::mixed}) {
    for (const std::vector<std::int64_t>& nodes : {std::vector<std::int64_t>{}, {1, 2, 1, 2, 2, 3}}) {
      test::for_each_broadcast({.size = 6, .root = 2, .bytes = 5000, .nodes = nodes}, [&](const CollectiveCase& each) {
        ASSERT_EQ(simulate({&each, 1}, seed++, 3, ways), "");
      });
    }
  }
}

/// The parts of a block in a round-optimal broadcast need as few rounds as there can be: a rank sends and receives at
/// most one in a round, and nobody has all before.
TEST(BroadcastAlgorithms, CirculantSendsEachPartOnceToEachRank) {
  for (const int p : {2, 3, 8, 17, 31}) {
    const BroadcastCase given{.size = p, .root = 1, .bytes = 64 * 10, .scattered = false};
    const CollectiveCase made = test::broadcast_case(given, "circulant", [](const Problem& it, ScheduleBuilder& to) {
      build_circulant(it, {64, 10}, to);
    });
    ASSERT_EQ(checked(made), "");
    std::size_t messages = 0;
    for (const auto& schedule : made.schedules) messages += schedule->messages().size();
    EXPECT_EQ(messages, 2U * 10U * static_cast<std::size_t>(p - 1));
  }
}

class BroadcastChoice : public ::testing::Test {
 protected:
  [[nodiscard]] Chosen chosen(int p, std::int64_t bytes, const char* name = "auto", int radix = 0,
                              double ranks_per_core = 1) const {
    const Layout layout = Layout::contiguous(bytes);
    const BlockShape block{0, &layout};
    return choose({.rank = 0,
                   .size = p,
                   .root = 0,
                   .block = block,
                   .costs = costs_,
                   .radix = radix,
                   .ranks_per_core = ranks_per_core},
                  name, Ordering::dependencies);
  }

  CostModel costs_{CostParameters{.message = 1000,
                                  .byte = 1,
                                  .burst = 0,
                                  .long_byte = 1,
                                  .eager_limit = 1 << 30,
                                  .rendezvous = 1000,
                                  .rendezvous_byte = 1,
                                  .copied_block = 0,
                                  .copied_byte = 0,
                                  .phase = 1000}};
};

TEST_F(BroadcastChoice, TradesRoundsForBytes) {
  EXPECT_EQ(chosen(2, 8).algorithm, "direct");
  EXPECT_EQ(chosen(256, 8).algorithm, "tree");
  EXPECT_NE(chosen(256, 1 << 24).algorithm, "tree");
  EXPECT_NE(chosen(256, 1 << 24).algorithm, "direct");
}

/// Where all ranks share a core, it does all copies, whoever makes them.
TEST_F(BroadcastChoice, PartsDoNotPayOnOneCore) {
  EXPECT_NE(chosen(8, 1 << 20, "auto", 0, 1).algorithm, "direct");
  EXPECT_EQ(chosen(8, 1 << 20, "auto", 0, 8).algorithm, "direct");
}

/// Nor where each of a few cores has several ranks, through slots, also if the block itself is too long for one.
TEST_F(BroadcastChoice, PartsDoNotPayOnFewCores) {
  const CostModel costs = CostModel::through_slots(4);
  const auto plan = [&](std::int64_t bytes) {
    const Layout layout = Layout::contiguous(bytes);
    const BlockShape block{0, &layout};
    return choose(
               {.rank = 0, .size = 8, .root = 0, .block = block, .costs = costs, .ranks_per_core = 4, .fewest_near = 7},
               "auto", Ordering::dependencies)
        .plan;
  };
  EXPECT_EQ(plan(1 << 16), "direct");
  EXPECT_EQ(plan(1 << 20), "direct");
}

TEST_F(BroadcastChoice, TakesTheRadixAskedFor) {
  EXPECT_EQ(chosen(64, 8, "tree", 5).plan, "tree, radix 5");
  EXPECT_EQ(chosen(64, 8, "tree", 500).plan, "tree, radix 64");
  EXPECT_THROW(static_cast<void>(chosen(64, 8, "tree", 1)), Error);
  EXPECT_THROW(static_cast<void>(chosen(64, 8, "tree", -2)), Error);
}

/// Only where there are nodes to know. Messages between them cost much, so that `auto` spares them.
TEST_F(BroadcastChoice, SparesMessagesBetweenNodes) {
  const Layout layout = Layout::contiguous(8);
  const CostModel costs = costs_.with_near(CostModel::through_slots(1.0));
  const std::vector<std::int64_t> numbers{1, 1, 1, 1, 2, 2, 2, 2};
  const NodeMembers nodes(numbers);
  const BlockShape block{0, &layout};
  Problem problem{.rank = 0, .size = 8, .root = 0, .block = block, .costs = costs, .fewest_near = 3, .nodes = &nodes};
  EXPECT_EQ(choose(problem, "auto", Ordering::dependencies).algorithm, "node-aware");
  problem.nodes = nullptr;
  const Chosen chosen = choose(problem, "node-aware", Ordering::dependencies);
  EXPECT_NE(chosen.algorithm, "node-aware");
  EXPECT_NE(chosen.note.find("it does not apply to this broadcast"), std::string::npos) << chosen.note;
}

TEST_F(BroadcastChoice, SaysSoWhereThereIsNoSuchAlgorithm) {
  EXPECT_NE(chosen(8, 8, "bruck").note.find("there is none for broadcast"), std::string::npos);
}

TEST_F(BroadcastChoice, TagsSuffice) {
  for (const int p : {1, 2, 7, 64, 1000}) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 22, std::int64_t{1} << 36}) {
      for (const char* name : {"direct", "tree", "scatter-allgather", "chain", "circulant"})
        EXPECT_LE(chosen(p, bytes, name).schedule->tags(), most_tags(p, bytes)) << name << ", p " << p;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::broadcast::algorithms_test
