// Who carries what: the members of a node take turns, and both ends of a message name each other.
#include "collectives/carriers/carriers.hpp"

#include <gtest/gtest.h>

#include "tests/support/nodes/listed_traffic.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <random>
#include <set>
#include <vector>

namespace rondo::internal::carriers_test {
namespace {

using test::ListedTraffic;

TEST(Carriers, MembersTakeTurns) {
  // Four nodes of two; node 0 sends to all others and receives from the last two.
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 2, 2, 3, 3, 4, 4});
  const ListedTraffic traffic(nodes, {{0, 2, 8}, {0, 4, 8}, {1, 6, 8}, {4, 0, 8}, {7, 0, 8}});
  const Carriers carriers(traffic, 0);
  ASSERT_EQ(carriers.targets().size(), 3U);
  EXPECT_EQ(carriers.sender_to(0), 0);
  EXPECT_EQ(carriers.sender_to(1), 1);
  EXPECT_EQ(carriers.sender_to(2), 0);
  ASSERT_EQ(carriers.sources().size(), 2U);
  EXPECT_EQ(carriers.receiver_from(0), 1) << "the turn goes on";
  EXPECT_EQ(carriers.receiver_from(1), 0);
  EXPECT_EQ(carriers.partner_at_target(0), 2) << "it sends nothing, and receives first";
  EXPECT_EQ(carriers.partner_at_target(1), 5) << "it sends, and so the next one receives";
}

/// In a dense alltoall all nodes send at once: in each turn to different ones.
TEST(Carriers, NoTwoNodesBeginWithTheSame) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 2, 2, 3, 3, 4, 4});
  std::vector<ListedTraffic::Block> blocks;
  for (int source = 0; source < 8; ++source) {
    for (int target = 0; target < 8; ++target) blocks.push_back({source, target, 8});
  }
  const ListedTraffic traffic(nodes, blocks);
  for (std::size_t turn = 0; turn < 3; ++turn) {
    std::set<int> targets;
    for (int node = 0; node < 4; ++node) {
      const Carriers carriers(traffic, node);
      const std::size_t i = carriers.target_in(turn);
      targets.insert(carriers.targets()[i]);
      EXPECT_EQ(carriers.sender_to(i), 2 * node + static_cast<int>(turn % 2));
      EXPECT_EQ(carriers.sources()[carriers.source_in(turn)], carriers.targets()[i]);
    }
    EXPECT_EQ(targets.size(), 4U) << "turn " << turn;
  }
}

TEST(Carriers, BothEndsNameEachOther) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const int p = 2 + static_cast<int>(random() % 20);
    const NodeMembers nodes(test::some_nodes(p, seed));
    std::vector<ListedTraffic::Block> blocks;
    for (int i = 0; i < 3 * p; ++i) {
      const auto rank = [&] { return static_cast<int>(random() % static_cast<unsigned>(p)); };
      blocks.push_back({rank(), rank(), 1});
    }
    const ListedTraffic traffic(nodes, blocks);
    for (int node = 0; node < nodes.nodes(); ++node) {
      const Carriers here(traffic, node);
      for (std::size_t i = 0; i < here.targets().size(); ++i) {
        const Carriers there(traffic, here.targets()[i]);
        const std::size_t back = position_of(node, there.sources());
        ASSERT_LT(back, there.sources().size()) << "seed " << seed;
        EXPECT_EQ(here.partner_at_target(i), there.receiver_from(back)) << "seed " << seed;
        EXPECT_EQ(there.partner_at_source(back), here.sender_to(i)) << "seed " << seed;
        EXPECT_EQ(nodes.node_of(here.partner_at_target(i)), here.targets()[i]) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace rondo::internal::carriers_test
