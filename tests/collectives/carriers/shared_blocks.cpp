// Which messages bring shared blocks to where they are wanted, on nodes written down by hand.
#include "collectives/carriers/shared_blocks.hpp"

#include <gtest/gtest.h>

#include "tests/support/nodes/listed_traffic.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::internal::shared_blocks_test {
namespace {

using Message = std::pair<int, std::vector<SharedBlock>>;

std::vector<Message> listed(const std::vector<SharedBlockLegs::Message>& messages) {
  std::vector<Message> list;
  for (const auto& [partner, blocks] : messages) list.emplace_back(partner, blocks);
  return list;
}

/// The blocks in the list that have equal sizes and sources are the same one, numbered by its size.
class SharedTraffic final : public test::ListedTraffic {
 public:
  SharedTraffic(const NodeMembers& nodes, const std::vector<Block>& blocks) : ListedTraffic(nodes, blocks) {
    for (const Block& block : blocks) numbers_.push_back(static_cast<std::uint32_t>(block.bytes));
  }
  [[nodiscard]] std::uint32_t shared_number(std::uint32_t number) const override { return numbers_[number]; }

 private:
  std::vector<std::uint32_t> numbers_;
};

/// Ranks 0 and 1 on one node, 2 to 4 on another: block 7 of rank 0 is for all, its block 8 for 3 and 4, block 5 of
/// rank 1 for 0, 3 and 4.
class SharedBlocks : public ::testing::Test {
 protected:
  NodeMembers nodes_{std::vector<std::int64_t>{1, 1, 2, 2, 2}};
  SharedTraffic traffic_{
      nodes_, {{0, 4, 7}, {0, 1, 7}, {0, 2, 7}, {0, 3, 7}, {0, 4, 8}, {0, 3, 8}, {1, 0, 5}, {1, 3, 5}, {1, 4, 5}}};
};

TEST_F(SharedBlocks, GoToEachNodeAndRankOnce) {
  const SharedBlockLegs sender(traffic_, 0, 2);
  const SharedBlockLegs other(traffic_, 1, 2);
  const std::vector<SharedBlock> all{{0, 7}, {0, 8}, {1, 5}};
  EXPECT_EQ(listed(sender.on_the_node.sent), (std::vector<Message>{{1, {{0, 7}}}}));
  EXPECT_EQ(listed(sender.on_the_node.received), (std::vector<Message>{{1, {{1, 5}}}}))
      << "for itself and for the others, once";
  EXPECT_EQ(listed(sender.between_nodes.sent), (std::vector<Message>{{4, all}}));
  EXPECT_EQ(listed(other.on_the_node.sent), (std::vector<Message>{{0, {{1, 5}}}}));
  EXPECT_TRUE(other.between_nodes.sent.empty());

  const SharedBlockLegs receiver(traffic_, 4, 2);
  EXPECT_EQ(listed(receiver.between_nodes.received), (std::vector<Message>{{0, all}}));
  EXPECT_EQ(listed(receiver.hand_out.sent), (std::vector<Message>{{2, {{0, 7}}}, {3, all}}));
  EXPECT_EQ(listed(SharedBlockLegs(traffic_, 3, 2).hand_out.received), (std::vector<Message>{{4, all}}));
  EXPECT_EQ(listed(SharedBlockLegs(traffic_, 2, 2).hand_out.received), (std::vector<Message>{{4, {{0, 7}}}}));
}

TEST_F(SharedBlocks, OfOneRankToAMessageAreNotHandedOver) {
  const SharedBlockLegs legs(traffic_, 1, 1);
  EXPECT_EQ(listed(legs.on_the_node.sent), (std::vector<Message>{{0, {{1, 5}}}})) << "a neighbor";
  EXPECT_EQ(listed(legs.on_the_node.received), (std::vector<Message>{{0, {{0, 7}}}}));
  ASSERT_EQ(legs.between_nodes.sent.size(), 1U);
  EXPECT_EQ(legs.between_nodes.sent.front().blocks, (std::vector<SharedBlock>{{1, 5}}));
}

}  // namespace
}  // namespace rondo::internal::shared_blocks_test
