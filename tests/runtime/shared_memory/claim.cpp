#include "runtime/shared_memory/claim.hpp"

#include <gtest/gtest.h>

namespace rondo::internal::claim_test {
namespace {

struct Message {
  SharedWord word = 0;
  ClaimEnd<> sender{&word, ClaimSide::sender};
  ClaimEnd<> receiver{&word, ClaimSide::receiver};
};

TEST(Claim, IsTakenOnceBothHaveArrived) {
  Message message;
  for (int start = 0; start < 5; ++start) {
    ClaimEnd<>& first = start % 2 == 0 ? message.sender : message.receiver;
    ClaimEnd<>& second = start % 2 == 0 ? message.receiver : message.sender;
    ClaimEnd<>& copies = start / 2 % 2 == 0 ? first : second;
    ClaimEnd<>& waits = start / 2 % 2 == 0 ? second : first;
    first.arrive(false);
    EXPECT_FALSE(first.try_take());
    EXPECT_EQ(first.look(), ClaimState::none);
    second.arrive(false);
    ASSERT_TRUE(copies.try_take());
    EXPECT_FALSE(copies.try_take());
    EXPECT_FALSE(waits.try_take());
    EXPECT_EQ(copies.look(), ClaimState::none);
    EXPECT_EQ(waits.look(), ClaimState::none);
    copies.finish();
    EXPECT_FALSE(waits.try_take());
    EXPECT_EQ(copies.look(), ClaimState::whole);
    EXPECT_EQ(waits.look(), ClaimState::whole);
  }
}

TEST(Claim, OfAFailedEndIsOverWhenBothHaveArrived) {
  for (const bool sender_fails : {true, false}) {
    Message message;
    message.sender.arrive(sender_fails);
    EXPECT_EQ(message.sender.look(), ClaimState::none);
    message.receiver.arrive(!sender_fails);
    EXPECT_FALSE(message.sender.try_take());
    EXPECT_FALSE(message.receiver.try_take());
    EXPECT_EQ(message.sender.look(), ClaimState::failed);
    EXPECT_EQ(message.receiver.look(), ClaimState::failed);
    message.sender.arrive(false);
    EXPECT_FALSE(message.sender.try_take());
    message.receiver.arrive(false);
    EXPECT_TRUE(message.receiver.try_take());
    message.receiver.finish();
    EXPECT_EQ(message.sender.look(), ClaimState::whole);
    EXPECT_EQ(message.receiver.look(), ClaimState::whole);
  }
}

TEST(Claim, OutcomeIsSeenBehindThePartnersNextArrival) {
  Message message;
  for (const bool fails : {true, true, false, true, false, false}) {
    message.sender.arrive(fails);
    message.receiver.arrive(false);
    if (!fails) {
      ASSERT_TRUE(message.receiver.try_take());
      message.receiver.finish();
    }
    EXPECT_EQ(message.receiver.look(), fails ? ClaimState::failed : ClaimState::whole);
    message.receiver.arrive(false);
    EXPECT_EQ(message.sender.look(), fails ? ClaimState::failed : ClaimState::whole);
    message.sender.arrive(true);
    EXPECT_EQ(message.receiver.look(), ClaimState::failed);
  }
}

TEST(Claim, ThatIsGivenUpIsNotCopied) {
  for (const bool partner_came : {false, true}) {
    Message message;
    message.receiver.arrive(false);
    if (partner_came) message.sender.arrive(false);
    EXPECT_TRUE(message.receiver.withdraw());
    if (!partner_came) message.sender.arrive(false);
    EXPECT_FALSE(message.sender.try_take());
    EXPECT_EQ(message.sender.look(), ClaimState::failed);
  }
}

TEST(Claim, IsNotGivenUpWhileItIsCopied) {
  Message message;
  message.receiver.arrive(false);
  message.sender.arrive(false);
  ASSERT_TRUE(message.sender.try_take());
  EXPECT_FALSE(message.receiver.withdraw());
  message.sender.finish();
  EXPECT_TRUE(message.receiver.withdraw());
  EXPECT_EQ(message.receiver.look(), ClaimState::whole);
  EXPECT_EQ(message.sender.look(), ClaimState::whole);
}

}  // namespace
}  // namespace rondo::internal::claim_test
