// How many messages node-aware halo exchanges have, where they are offered, and what they are predicted to cost. That
// they bring what they should: algorithms.cpp.
#include <gtest/gtest.h>

#include "collectives/halo/algorithms.hpp"
#include "collectives/halo/costs.hpp"
#include "tests/support/cases/halo_case.hpp"
#include "tests/support/nodes/costs_by_way.hpp"
#include "tests/support/nodes/known_nodes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::internal::halo::node_aware_test {
namespace {

using NodePair = std::pair<int, int>;

/// 4 x 4 ranks, two rows on each of two nodes.
HaloCase on_rows() {
  HaloCase given{.sizes = {4, 4}, .low = {1, 1}, .high = {1, 1}};
  for (int rank = 0; rank < 16; ++rank) given.nodes.push_back(1 + rank / 8);
  return given;
}

TEST(NodeAwareHalo, SendsOneMessageToEachNode) {
  const HaloCase given = on_rows();
  const HaloArrays arrays(given);
  const NodeMembers nodes(given.nodes);
  const CollectiveCase made = halo_case(given, arrays, arrays.definition(), node_aware_ways(given, arrays).front());
  EXPECT_EQ(checked(made), "");
  std::map<NodePair, std::int64_t> bytes;
  for (int rank = 0; rank < 16; ++rank) {
    for (const Task& task : made.schedules[static_cast<std::size_t>(rank)]->tasks()) {
      if (task.kind != TaskKind::send) continue;
      const NodePair pair(nodes.node_of(rank), nodes.node_of(task.peer));
      if (pair.first == pair.second) continue;
      EXPECT_TRUE(bytes.insert({pair, task.bytes}).second) << "a second message";
    }
  }
  // From each of the 8 ranks an edge of 4 elements and two corners.
  EXPECT_EQ(bytes, (std::map<NodePair, std::int64_t>{{{0, 1}, 8 * 6}, {{1, 0}, 8 * 6}}));
}

class OfferedHalo : public ::testing::Test {
 protected:
  [[nodiscard]] Problem problem() const {
    Problem problem{arrays_.grid(), arrays_.bundle(0), arrays_.typical_bundle(), costs_};
    problem.inside = &arrays_.inside();
    nodes_.tell(problem);
    return problem;
  }

  HaloCase given_ = on_rows();
  HaloArrays arrays_{given_};
  CostModel costs_ = test::costs_by_way();
  test::KnownNodes nodes_{given_.nodes, arrays_.grid()};
};

/// Blocking and nonblocking calls ask nobody for sizes.
TEST_F(OfferedHalo, NeedsTheSizesOfAll) {
  EXPECT_EQ(choose(problem(), "node-aware", Ordering::dependencies).algorithm, "node-aware");
  Problem unknown = problem();
  unknown.inside = nullptr;
  const Chosen chosen = choose(unknown, "node-aware", Ordering::dependencies);
  EXPECT_NE(chosen.algorithm, "node-aware");
  EXPECT_NE(chosen.note.find("node-aware was requested"), std::string::npos) << chosen.note;
  Problem one_node = problem();
  one_node.nodes = nullptr;
  EXPECT_TRUE(node_aware(one_node).empty());
}

/// A far message costs 1000 and a near one 1, half of it at each end; and there are pieces. Each rank has 5 neighbors
/// on its node. With 7 others it leaves what it sends to a carrier; one rank receives, and hands out to 7 others.
TEST_F(OfferedHalo, IsPredictedByItsBusiestRanks) {
  const std::vector<Plan<Problem>> plans = node_aware(problem());
  const auto all_share = std::ranges::find(plans, "node-aware", &Plan<Problem>::name);
  ASSERT_NE(all_share, plans.end());
  double pieces = 0;
  for (const Round& round : direct(arrays_.grid(), arrays_.typical(), Messages::apart).rounds) {
    const PieceCosts costs = piece_costs(problem(), round);
    pieces += costs.sending + costs.receiving;
  }
  EXPECT_GT(pieces, 0);
  EXPECT_EQ(all_share->prediction.phases, 3);
  EXPECT_NEAR(all_share->prediction.nanoseconds, (5 + 1 + 5 + 7) / 2.0 + (1000 + 1000) / 2.0 + (7 + 1) / 2.0 + pieces,
              1e-6);
}

}  // namespace
}  // namespace rondo::internal::halo::node_aware_test
