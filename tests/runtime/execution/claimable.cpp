#include "runtime/execution/claimable.hpp"

#include <gtest/gtest.h>

#include "tests/support/claiming_ends.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal::claimable_test {
namespace {

using test::Arrays;
using test::ClaimingEnd;
using test::ListedMessage;
using test::schedule_of;

class ClaimableTest : public ::testing::Test {
 protected:
  std::map<int, std::vector<ClaimableMessage>> plan(const std::vector<ListedMessage>& messages, Arrays arrays,
                                                    bool spread = false) {
    end.emplace(schedule_of(messages, 0, spread), 0, over, arrays);
    return claimable_messages(end->execution, 0, AllocatedMemory::process());
  }
  LoopbackNetwork network{1, 1};
  NodeTransport<LoopbackTransport> over{network.transport(0)};
  std::optional<ClaimingEnd> end;
};

TEST_F(ClaimableTest, TakesLongMessagesInArraysByPartner) {
  const std::vector<ListedMessage> messages{
      {0, 2, 7, 5000}, {1, 0, 8, 6000}, {0, 1, 9, kShortestClaimed - 1}, {0, 1, 10, kShortestClaimed}};
  const auto partners = plan(messages, Arrays::both);
  ASSERT_EQ(partners.size(), 2U);
  ASSERT_EQ(partners.at(2).size(), 1U);
  const ClaimableMessage& sent = partners.at(2).front();
  EXPECT_TRUE(sent.sends);
  EXPECT_EQ(sent.tag, 7U);
  EXPECT_EQ(sent.bytes, 5000);
  EXPECT_EQ(sent.place.data, end->sent.data());
  EXPECT_EQ(sent.layout, Layout::contiguous(5000));
  ASSERT_EQ(partners.at(1).size(), 2U);
  for (const ClaimableMessage& message : partners.at(1)) EXPECT_EQ(message.tag, message.sends ? 10U : 8U);
  EXPECT_EQ(plan(messages, Arrays::recv).size(), 1U);
  EXPECT_TRUE(plan(messages, Arrays::none).empty());
}

TEST_F(ClaimableTest, LeavesOutWhatLiesPartlyOutside) {
  const std::vector<ListedMessage> messages{{0, 1, 0, static_cast<std::int64_t>(ClaimingEnd::kBytes)}, {0, 1, 1, 8000}};
  const auto partners = plan(messages, Arrays::both);
  ASSERT_EQ(partners.at(1).size(), 1U);
  EXPECT_EQ(partners.at(1).front().tag, 0U);
}

}  // namespace
}  // namespace rondo::internal::claimable_test
