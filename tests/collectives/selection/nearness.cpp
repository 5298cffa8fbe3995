#include "collectives/selection/nearness.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rondo::internal::nearness_test {
namespace {

TEST(Nearness, OfPairsIsNearWhereAllPairsShareANode) {
  const NodeMembers blocks(std::vector<std::int64_t>{7, 7, 7, 7, 3, 3, 3, 3});
  EXPECT_EQ(nearness_of_pairs(&blocks, 1), Nearness::near);
  EXPECT_EQ(nearness_of_pairs(&blocks, 2), Nearness::near);
  EXPECT_EQ(nearness_of_pairs(&blocks, 4), Nearness::far);
  const NodeMembers in_turn(std::vector<std::int64_t>{7, 3, 7, 3, 7, 3, 7, 3});
  EXPECT_EQ(nearness_of_pairs(&in_turn, 1), Nearness::far);
  EXPECT_EQ(nearness_of_pairs(&in_turn, 4), Nearness::near);
  const NodeMembers uneven(std::vector<std::int64_t>{7, 7, 7, 3});
  EXPECT_EQ(nearness_of_pairs(&uneven, 1), Nearness::far) << "not those of the last two";
}

TEST(Nearness, OfPairsLeavesOutWhoHasNoPartner) {
  const NodeMembers nodes(std::vector<std::int64_t>{7, 7, 3, 3, 5});
  EXPECT_EQ(nearness_of_pairs(&nodes, 1), Nearness::near);
}

TEST(Nearness, OfUnknownNodesIsFar) { EXPECT_EQ(nearness_of_pairs(nullptr, 1), Nearness::far); }

}  // namespace
}  // namespace rondo::internal::nearness_test
