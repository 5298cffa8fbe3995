// How many messages node-aware halo exchanges have, where they are offered, and what they are predicted to cost. That
// they bring what they should: algorithms.cpp.
#include <gtest/gtest.h>

#include "collectives/halo/algorithms.hpp"
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
      const NodePair pair(nodes.node_of(rank), nodes.node_of(task.peer));
      if (task.kind != TaskKind::send || pair.first == pair.second) continue;
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

/// A far message costs 1000 and a near one 1, half of it at each end. With one rank to a message, each of a node sends
/// one, and receives one; with all, a single rank does either.
TEST_F(OfferedHalo, IsPredictedByItsBusiestRank) {
  const std::vector<Plan<Problem>> plans = node_aware(problem());
  const auto named = [&](const char* name) {
    const auto found = std::ranges::find(plans, name, &Plan<Problem>::name);
    return found == plans.end() ? Prediction{} : found->prediction;
  };
  EXPECT_EQ(named("node-aware").phases, 3);
  EXPECT_EQ(static_cast<int>(named("node-aware").nanoseconds) / 500, 1);
  EXPECT_EQ(static_cast<int>(named("node-aware, 1 rank to a message").nanoseconds) / 500, 2);
}

}  // namespace
}  // namespace rondo::internal::halo::node_aware_test
