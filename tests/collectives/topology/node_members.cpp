#include "collectives/topology/node_members.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rondo::internal::node_members_test {
namespace {

std::vector<int> members(const NodeMembers& nodes, int node) {
  return {nodes.members(node).begin(), nodes.members(node).end()};
}

TEST(NodeMembers, CountsNodesInTheOrderOfTheirFirstRanks) {
  const NodeMembers nodes(std::vector<std::int64_t>{7, 3, 7, 3, 3});
  EXPECT_EQ(nodes.nodes(), 2);
  EXPECT_EQ(nodes.most(), 3);
  EXPECT_EQ(members(nodes, 0), (std::vector{0, 2}));
  EXPECT_EQ(members(nodes, 1), (std::vector{1, 3, 4}));
  EXPECT_EQ(nodes.node_of(4), 1);
}

TEST(NodeMembers, ZeroSharesWithNobody) {
  const NodeMembers nodes(std::vector<std::int64_t>{0, 5, 0, 5});
  EXPECT_EQ(nodes.nodes(), 3);
  EXPECT_EQ(members(nodes, 0), std::vector{0});
  EXPECT_EQ(members(nodes, 1), (std::vector{1, 3}));
  EXPECT_EQ(members(nodes, 2), std::vector{2});
}

TEST(NodeMembers, AreARing) {
  const NodeMembers nodes(std::vector<std::int64_t>{7, 3, 7, 5, 3, 3});
  EXPECT_EQ(nodes.node_after(2, 1), 0);
  EXPECT_EQ(nodes.node_after(0, -1), 2);
  EXPECT_EQ(nodes.node_after(1, 3), 1);
}

/// One after the other deals with the next nodes, and then the first one again.
TEST(NodeMembers, RanksTakeTurns) {
  const NodeMembers nodes(std::vector<std::int64_t>{7, 3, 7, 5, 3, 3});
  EXPECT_EQ(nodes.size_of(1), 3);
  EXPECT_EQ(nodes.rank_for(0, 1), 0);
  EXPECT_EQ(nodes.rank_for(0, 2), 2);
  EXPECT_EQ(nodes.rank_for(1, 2), 4);
  EXPECT_EQ(nodes.rank_for(2, 2), 3);
  EXPECT_EQ(nodes.rank_for(0, 3), 0);
}

TEST(NodeMembers, OfNobody) {
  EXPECT_EQ(NodeMembers().nodes(), 0);
  EXPECT_EQ(NodeMembers(std::vector<std::int64_t>{}).most(), 0);
}

}  // namespace
}  // namespace rondo::internal::node_members_test
