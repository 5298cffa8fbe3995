// What node-aware schedules of blocks in a list are predicted to cost. Alltoalls: carried_alltoall.cpp.
#include "collectives/carriers/carried_costs.hpp"

#include <gtest/gtest.h>

#include "tests/support/nodes/costs_by_way.hpp"
#include "tests/support/nodes/listed_traffic.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace rondo::internal::carried_costs_test {
namespace {

Prediction predict(const std::vector<test::ListedTraffic::Block>& blocks, BlockUse use) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 2, 2, 3, 3});
  const test::ListedTraffic traffic(nodes, blocks);
  return predict_carried(traffic, std::array{2}, use, test::costs_by_way()).front();
}

/// Rank 0, which is the busiest, has a block for both ranks of two other nodes.
TEST(CarriedCosts, OfASharedBlockCountItOnceInAMessage) {
  const std::vector<test::ListedTraffic::Block> blocks{{0, 2, 8}, {0, 3, 8}, {0, 4, 8}, {0, 5, 8}};
  EXPECT_EQ(predict(blocks, BlockUse::each_for_one).bytes, 16 + 16 + 8) << "to each node, and handed out";
  EXPECT_EQ(predict(blocks, BlockUse::one_for_all).bytes, 8 + 8 + 8);
}

}  // namespace
}  // namespace rondo::internal::carried_costs_test
