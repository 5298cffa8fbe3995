// How many messages a node-aware alltoall has, and what it is predicted to cost. That its data is right: the sweeps.
#include "collectives/carriers/carried_alltoall.hpp"

#include "collectives/carriers/carried_costs.hpp"
#include "collectives/carriers/carried_plans.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/dense_case.hpp"
#include "tests/support/nodes/costs_by_way.hpp"
#include "tests/support/nodes/listed_traffic.hpp"
#include "tests/support/nodes/messages_between.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::carried_alltoall_test {
namespace {

using Pair = std::pair<int, int>;

TEST(CarriedAlltoall, OneMessageForEachOrderedPairOfNodes) {
  // 4 x 4 x 4 ranks in blocks of 8, the nodes a ring: each touches all others but one or two.
  AlltoallCase given{.sizes = {4, 4, 4}, .neighborhood = moore(3, 1), .bytes = [](int, int) { return 8; }};
  for (int rank = 0; rank < 64; ++rank) given.nodes.push_back(1 + rank / 8);
  const NodeMembers nodes(given.nodes);
  std::set<Pair> expected;
  const Grid grid(given.sizes, 0);
  for (int rank = 0; rank < 64; ++rank) {
    for (int i = 0; i < given.neighborhood.size(); ++i) {
      const Pair pair(nodes.node_of(rank), nodes.node_of(grid.seen_from(rank).relative_rank(given.neighborhood[i])));
      if (pair.first != pair.second) expected.insert(pair);
    }
  }
  const CollectiveCase made = alltoall_case(given, alltoall_way("node-aware"));
  EXPECT_EQ(checked(made), "");
  const auto messages = test::messages_between(made, nodes);
  EXPECT_EQ(messages.size(), expected.size());
  for (const auto& [pair, count] : messages) {
    EXPECT_TRUE(expected.contains(pair));
    EXPECT_EQ(count, 1) << "from node " << pair.first << " to node " << pair.second;
  }
}

TEST(CarriedAlltoall, DenseToo) {
  DenseCase given{.size = 12, .bytes = [](int, int) { return 4; }};
  for (int rank = 0; rank < 12; ++rank) given.nodes.push_back(1 + rank % 3);
  const CollectiveCase made = dense_case(given, dense_way("node-aware"));
  EXPECT_EQ(checked(made), "");
  const auto messages = test::messages_between(made, NodeMembers(given.nodes));
  EXPECT_EQ(messages.size(), 6U);
  for (const auto& [pair, count] : messages) EXPECT_EQ(count, 1) << pair.first << " to " << pair.second;
}

TEST(CarriedAlltoall, IsNotOfferedWhereNoTwoRanksShareANode) {
  AlltoallCase given{.sizes = {4}, .neighborhood = moore(1, 1), .bytes = [](int, int) { return 8; }};
  const auto offered = [&] {
    const auto rows = alltoall::registry().algorithms;
    return count_plans(given, *std::ranges::find(rows, "node-aware", &alltoall::Algorithm::name), true);
  };
  EXPECT_EQ(offered(), 0U) << "nobody knows";
  given.nodes = {1, 2, 3, 4};
  EXPECT_EQ(offered(), 0U);
  given.nodes = {0, 0, 0, 0};
  EXPECT_EQ(offered(), 0U);
  given.nodes = {1, 1, 1, 1};
  EXPECT_EQ(offered(), 0U) << "a single node";
  given.nodes = {1, 1, 2, 0};
  EXPECT_GE(offered(), 1U);
}

TEST(CarriedAlltoall, MessagesMustFit) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 2, 2, 2});
  constexpr std::int64_t kMost = 2147483647;
  EXPECT_TRUE(fits_carriers(nodes, kMost / 3));
  EXPECT_FALSE(fits_carriers(nodes, kMost / 3 + 1));
}

/// By hand: a far message costs 1000 and a near one 1, half of it at each end.
TEST(CarriedAlltoall, IsPredictedByTheBusiestRanksOfEachPhase) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 2, 2, 2});
  // Ranks 0, 1 and 2 send to 3 and 4. Rank 0 gets two near messages, one from each of the others, and sends a far one
  // to rank 4, which sends a near one to rank 3.
  const test::ListedTraffic traffic(nodes, {{0, 3, 8}, {1, 3, 8}, {2, 4, 8}});
  const Prediction prediction =
      predict_carried(traffic, std::vector{3}, BlockUse::each_for_one, test::costs_by_way()).front();
  EXPECT_EQ(prediction.nanoseconds, (1 + 2) / 2.0 + (1000 + 1000) / 2.0 + (1 + 1) / 2.0);
  EXPECT_EQ(prediction.phases, 3);
  EXPECT_EQ(prediction.bytes, 8 + 24 + 16);
}

/// The port of a node has as much to do whoever sends: one rank for four, with four ranks' bytes.
TEST(CarriedAlltoall, BytesKeepTheNodesPortBusy) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 1, 2, 2, 2, 2});
  CostParameters nothing{};
  nothing.eager_limit = 1000000;
  const CostModel costs =
      CostModel(nothing).over_network({.message = 0, .byte = 1, .latency = 0}).with_near(CostModel(nothing));
  std::vector<test::ListedTraffic::Block> blocks;
  for (int source = 0; source < 4; ++source) blocks.push_back({source, 4 + source, 100});
  const test::ListedTraffic traffic(nodes, blocks);
  for (const Prediction& prediction : predict_carried(traffic, std::vector{4, 2, 1}, BlockUse::each_for_one, costs))
    EXPECT_NEAR(prediction.nanoseconds, 100, 1e-6);
}

/// Where there are many nodes, what is told at once is what is counted block by block.
TEST(CarriedAlltoall, AllToAllIsPredictedAlike) {
  const CostModel costs = CostModel(1.0).over_network({500, 0.1, 1500}).with_near(CostModel::through_slots(1.0));
  for (const int members : {2, 4, 8, 20}) {
    for (const int nodes_of_all : {9, 17, 24}) {
      std::vector<std::int64_t> numbers;
      for (int rank = 0; rank < members * nodes_of_all; ++rank) numbers.push_back(1 + rank / members);
      const NodeMembers nodes(numbers);
      std::vector<test::ListedTraffic::Block> blocks;
      for (int source = 0; source < members * nodes_of_all; ++source) {
        for (int target = 0; target < members * nodes_of_all; ++target) blocks.push_back({source, target, 64});
      }
      const test::ListedTraffic traffic(nodes, blocks);
      const std::vector<int> sharers = numbers_of_sharers(nodes);
      const std::vector<Prediction> counted = predict_carried(traffic, sharers, BlockUse::each_for_one, costs);
      for (std::size_t i = 0; i < sharers.size(); ++i) {
        const Prediction told = predict_carried_all_to_all(nodes, sharers[i], 64, costs);
        const double ratio = told.nanoseconds / counted[i].nanoseconds;
        const std::string what = std::to_string(members) + " ranks on each of " + std::to_string(nodes_of_all) +
                                 " nodes, " + std::to_string(sharers[i]) + " to a message";
        EXPECT_GE(ratio, 0.9) << what;
        // Where not all carry alike, the one that sends most is taken for the one that receives most.
        EXPECT_LE(ratio, members == 20 ? 1.4 : 1.1) << what;
      }
    }
  }
}

}  // namespace
}  // namespace rondo::internal::carried_alltoall_test
