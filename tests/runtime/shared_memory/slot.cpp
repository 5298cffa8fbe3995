#include "runtime/shared_memory/slot.hpp"

#include <gtest/gtest.h>

namespace rondo::internal::slot_test {
namespace {

TEST(Slot, HasRoomForItsDataAndOneWordInWholeCacheLines) {
  EXPECT_EQ(slot_size(0), 64U);
  EXPECT_EQ(slot_size(56), 64U);
  EXPECT_EQ(slot_size(57), 128U);
  EXPECT_EQ(slot_size(1024), 1088U);
}

TEST(Slot, HoldsTheMessagesOfTwoStartsAndThenWaits) {
  std::array<SharedWord, 2> filled{};
  SharedWord consumed = 0;
  SlotSender<> sender({&filled[0], &filled[1]}, &consumed);
  SlotReceiver<> receiver({&filled[0], &filled[1]}, &consumed);
  EXPECT_EQ(receiver.look(), SlotState::none);
  ASSERT_TRUE(sender.may_fill());
  sender.publish(false);
  ASSERT_TRUE(sender.may_fill());
  sender.publish(true);
  EXPECT_FALSE(sender.may_fill()) << "nothing was consumed";
  EXPECT_EQ(receiver.look(), SlotState::whole);
  receiver.give_back();
  EXPECT_EQ(receiver.look(), SlotState::failed);
  ASSERT_TRUE(sender.may_fill());
  sender.publish(false);
  EXPECT_FALSE(sender.may_fill());
  EXPECT_EQ(receiver.look(), SlotState::failed) << "that of the second start comes before that of the third";
  receiver.give_back();
  EXPECT_EQ(receiver.look(), SlotState::whole);
}

}  // namespace
}  // namespace rondo::internal::slot_test
