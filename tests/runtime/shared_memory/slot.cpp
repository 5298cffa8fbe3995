#include "runtime/shared_memory/slot.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

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
  SlotSender<> sender({filled.data(), 1}, 2, &consumed);
  SlotReceiver<> receiver({filled.data(), 1}, 2, &consumed);
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

TEST(Slot, OneOfManyIsFreeAsSoonAsItsMessageIsConsumed) {
  std::array<SharedWord, 8> filled{};
  SharedWord consumed = 0;
  SlotSender<> sender({filled.data(), 2}, 4, &consumed);
  SlotReceiver<> receiver({filled.data(), 2}, 4, &consumed);
  for (int start = 1; start <= 4; ++start) {
    ASSERT_TRUE(sender.may_fill()) << start;
    sender.publish(start == 3);
  }
  for (int start = 5; start <= 30; ++start) {
    EXPECT_FALSE(sender.may_fill()) << start;
    EXPECT_EQ(receiver.slot(), sender.slot());
    EXPECT_EQ(receiver.look(), start - 4 == 3 ? SlotState::failed : SlotState::whole);
    receiver.give_back();
    ASSERT_TRUE(sender.may_fill()) << start;
    sender.publish(false);
  }
  for (std::size_t other = 1; other < filled.size(); other += 2) EXPECT_EQ(filled[other], 0U) << "between the slots";
}

}  // namespace
}  // namespace rondo::internal::slot_test
