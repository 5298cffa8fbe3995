#include "runtime/claims/claim_notice.hpp"

#include <gtest/gtest.h>

#include "runtime/execution/claimable.hpp"
#include "tests/support/claiming_ends.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::claim_notice_test {
namespace {

using test::Arrays;
using test::ClaimingEnd;
using test::schedule_of;

TEST(ClaimNotice, SaysWhatTheMessageIs) {
  for (const bool spread : {false, true}) {
    LoopbackNetwork network(1, 1);
    NodeTransport<LoopbackTransport> over(network.transport(0));
    const std::vector<test::ListedMessage> listed{{0, 1, 3, 8000}, {1, 0, 4, 12000}};
    const ClaimingEnd end(schedule_of(listed, 0, spread), 0, over, Arrays::both);
    const auto partners = claimable_messages(end.execution, 0, AllocatedMemory::process(), 4);
    std::vector<std::int64_t> words;
    const std::vector<ClaimableMessage>& messages = partners.at(1);
    ASSERT_EQ(messages.size(), 2U);
    append_notice(messages[0], 72, 0, words);
    append_notice(messages[1], 80, 128, words);
    const auto notices = notices_from(words);
    ASSERT_TRUE(notices);
    ASSERT_EQ(notices->size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const ClaimNotice& notice = (*notices)[i];
      EXPECT_EQ(notice.tag, messages[i].tag);
      EXPECT_EQ(notice.sends, messages[i].sends);
      EXPECT_EQ(notice.bytes, messages[i].bytes);
      EXPECT_EQ(notice.segment, messages[i].place.segment);
      EXPECT_EQ(notice.offset, static_cast<std::int64_t>(messages[i].place.offset));
      EXPECT_EQ(notice.accepted, 72 + 8 * i);
      EXPECT_EQ(notice.word, 128 * i);
      EXPECT_EQ(notice.layout.size(), 7U) << "one run";
    }
    for (std::size_t count = 1; count < words.size(); ++count) {
      const auto part = notices_from(std::span(words).first(count));
      EXPECT_TRUE(!part || part->size() == 1U) << count;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::claim_notice_test
