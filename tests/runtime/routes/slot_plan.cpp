#include "runtime/routes/slot_plan.hpp"

#include <gtest/gtest.h>

#include "runtime/shared_memory/slot.hpp"
#include "tests/support/cases/listed_messages.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::slot_plan_test {
namespace {

using test::ListedMessage;
using test::schedule_of;

std::vector<SlotPlan> plans_of(const std::vector<ListedMessage>& messages, int rank) {
  return plan_slots(*schedule_of(messages, rank), rank);
}
/// What rank 0 plans with rank 1.
SlotPlan plan_of(const std::vector<ListedMessage>& messages) {
  const std::vector<SlotPlan> plans = plans_of(messages, 0);
  EXPECT_EQ(plans.size(), 1U);
  return plans.empty() ? SlotPlan{} : plans.front();
}
std::vector<std::uint32_t> tags_of(const PlannedDirection& direction, const Schedule& schedule) {
  std::vector<std::uint32_t> tags;
  for (const PlannedMessage& message : direction.messages)
    tags.push_back(schedule.tasks()[schedule.messages()[message.number]].tag);
  return tags;
}

/// Each part within the region, in whole lines where somebody else writes, and no two in one place.
void expect_apart(const PlannedDirection& direction, const Schedule& schedule) {
  if (direction.messages.empty()) return;
  std::vector<std::pair<std::size_t, std::size_t>> parts{{0, kCacheLine}};  // the closed word has its line
  for (const PlannedMessage& message : direction.messages) {
    const Task& task = schedule.tasks()[schedule.messages()[message.number]];
    EXPECT_GE(message.slot_size, static_cast<std::size_t>(task.bytes) + sizeof(SharedWord));
    EXPECT_EQ(message.slot % kCacheLine, 0U);
    EXPECT_EQ(message.slot_size % kCacheLine, 0U);
    EXPECT_EQ(message.consumed % sizeof(SharedWord), 0U);
    parts.emplace_back(message.consumed, message.consumed + sizeof(SharedWord));
    parts.emplace_back(message.slot, message.slot + message.slots * message.slot_size);
  }
  std::ranges::sort(parts);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) EXPECT_LE(parts[i].second, parts[i + 1].first);
  EXPECT_LE(parts.back().second, direction.region_size);
  for (const PlannedMessage& message : direction.messages) {
    for (const PlannedMessage& other : direction.messages)
      EXPECT_NE(message.consumed / kCacheLine, other.slot / kCacheLine) << "the receiver's line is not the sender's";
  }
}

/// What the sender and the receiver of a direction say of it.
void expect_same(const PlannedDirection& sends, const Schedule& sender, const PlannedDirection& receives,
                 const Schedule& receiver) {
  EXPECT_EQ(tags_of(sends, sender), tags_of(receives, receiver));
  EXPECT_EQ(sends.region_size, receives.region_size);
  EXPECT_EQ(sends.print, receives.print);
  ASSERT_EQ(sends.messages.size(), receives.messages.size());
  for (std::size_t i = 0; i < sends.messages.size(); ++i) {
    EXPECT_EQ(sends.messages[i].consumed, receives.messages[i].consumed);
    EXPECT_EQ(sends.messages[i].slot, receives.messages[i].slot);
    EXPECT_EQ(sends.messages[i].slot_size, receives.messages[i].slot_size);
  }
}

/// Each rank sees the messages in an order of its own.
TEST(SlotPlan, BothEndsPlanTheSame) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    constexpr int kRanks = 3;
    std::vector<ListedMessage> messages;
    for (std::uint64_t left = random() % 20; left > 0; --left)
      messages.push_back({static_cast<int>(random() % kRanks), static_cast<int>(random() % kRanks),
                          static_cast<std::uint32_t>(random() % 8), 1 + static_cast<std::int64_t>(random() % 320000)});
    std::vector<std::shared_ptr<const Schedule>> schedules;
    std::vector<std::map<int, SlotPlan>> plans(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
      schedules.push_back(schedule_of(messages, rank));
      int last = -1;
      for (SlotPlan& plan : plan_slots(*schedules.back(), rank)) {
        EXPECT_LT(last, plan.peer) << "by rank";
        last = plan.peer;
        plans[static_cast<std::size_t>(rank)].emplace(plan.peer, std::move(plan));
      }
      std::ranges::shuffle(messages, random);
    }
    for (std::size_t a = 0; a < kRanks; ++a) {
      EXPECT_FALSE(plans[a].contains(static_cast<int>(a))) << "a rank is no partner of itself";
      for (std::size_t b = 0; b < kRanks; ++b) {
        if (a == b) continue;
        const auto one = plans[a].find(static_cast<int>(b));
        const auto other = plans[b].find(static_cast<int>(a));
        ASSERT_EQ(one == plans[a].end(), other == plans[b].end());
        if (one == plans[a].end()) continue;
        expect_same(one->second.sends, *schedules[a], other->second.receives, *schedules[b]);
        EXPECT_EQ(one->second.sends_any, other->second.receives_any);
        expect_apart(one->second.receives, *schedules[a]);
      }
    }
  }
}

TEST(SlotPlan, MessagesAreTakenByTag) {
  const std::vector<ListedMessage> messages{{0, 1, 7, 8}, {0, 1, 2, 500}, {0, 1, 5, 8}};
  const auto schedule = schedule_of(messages, 0);
  const SlotPlan plan = plan_slots(*schedule, 0).front();
  EXPECT_EQ(tags_of(plan.sends, *schedule), (std::vector<std::uint32_t>{2, 5, 7}));
  EXPECT_TRUE(plan.receives.messages.empty());
  EXPECT_EQ(plan.receives.region_size, 0U);
  EXPECT_EQ(plan.receives.print, 0U);
}

/// MPI matches them in the order in which they are posted, which nobody here knows.
TEST(SlotPlan, MessagesOfOneTagStayOut) {
  const std::vector<ListedMessage> messages{{0, 1, 3, 8}, {0, 1, 4, 8}, {0, 1, 3, 8}, {0, 1, 3, 8}, {1, 0, 3, 8}};
  const auto schedule = schedule_of(messages, 0);
  const SlotPlan plan = plan_slots(*schedule, 0).front();
  EXPECT_EQ(tags_of(plan.sends, *schedule), std::vector<std::uint32_t>{4});
  EXPECT_EQ(tags_of(plan.receives, *schedule), std::vector<std::uint32_t>{3}) << "the other direction is another tag";
  const SlotPlan none = plan_of({{0, 1, 3, 8}, {0, 1, 3, 8}});
  EXPECT_EQ(none.sends.print, 0U);
  EXPECT_TRUE(none.sends_any);
}

/// Where nothing comes back, senders may run ahead: with short messages further than with long ones.
TEST(SlotPlan, ThereAreMoreSlotsOneWay) {
  std::vector<std::uint32_t> slots;
  for (const std::int64_t bytes : {8, 512, 1024, 4096, 65536})
    slots.push_back(plan_of({{0, 1, 0, bytes}}).sends.messages.front().slots);
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{16, 16, 8, 2, 2}));
  EXPECT_EQ(plan_of({{0, 1, 0, 8}, {1, 0, 3, 8}}).sends.messages.front().slots, 2U);
}

/// A long one of the same tag counts all the same: MPI could match it with the short one.
TEST(SlotPlan, LongMessagesStayOut) {
  const std::vector<ListedMessage> messages{
      {0, 1, 0, kLongestInSlot}, {0, 1, 1, kLongestInSlot + 1}, {0, 1, 2, 8}, {0, 1, 2, kLongestInSlot + 1}};
  const auto schedule = schedule_of(messages, 0);
  EXPECT_EQ(tags_of(plan_slots(*schedule, 0).front().sends, *schedule), std::vector<std::uint32_t>{0});
}

TEST(SlotPlan, PrintsTellWhatDiffers) {
  const std::vector<ListedMessage> plain{{0, 1, 0, 8}, {0, 1, 1, 16}};
  const std::uint64_t print = plan_of(plain).sends.print;
  EXPECT_NE(print, 0U);
  EXPECT_EQ(plan_of({{0, 1, 1, 16}, {0, 1, 0, 8}}).sends.print, print);
  EXPECT_EQ(plan_of({{0, 1, 0, 8}, {0, 1, 1, 16}, {0, 1, 2, kLongestInSlot + 1}}).sends.print, print)
      << "of what may take slots";
  EXPECT_NE(plan_of({{0, 1, 0, 8}, {0, 1, 1, 17}}).sends.print, print) << "another size";
  EXPECT_NE(plan_of({{0, 1, 0, 8}, {0, 1, 2, 16}}).sends.print, print) << "another tag";
  EXPECT_NE(plan_of({{0, 1, 0, 16}, {0, 1, 1, 8}}).sends.print, print) << "sizes the other way round";
  EXPECT_NE(plan_of({{0, 1, 0, 8}}).sends.print, print) << "fewer";
}

/// Whether there is an answer decides whether the sender looks at counts: both ends must do the same.
TEST(SlotPlan, AnAnswerIsPartOfThePrint) {
  const SlotPlan alone = plan_of({{0, 1, 0, 8}});
  const SlotPlan answered = plan_of({{0, 1, 0, 8}, {1, 0, 9, 8}});
  const SlotPlan answered_by_mpi = plan_of({{0, 1, 0, 8}, {1, 0, 9, kLongestInSlot + 1}});
  EXPECT_TRUE(alone.sends_any);
  EXPECT_FALSE(alone.receives_any);
  EXPECT_TRUE(answered.receives_any);
  EXPECT_TRUE(answered_by_mpi.receives_any) << "by whatever way";
  EXPECT_TRUE(answered_by_mpi.receives.messages.empty());
  EXPECT_NE(alone.sends.print, answered.sends.print);
  EXPECT_EQ(answered.sends.print, answered_by_mpi.sends.print);
}

TEST(SlotPlan, AScheduleWithoutMessagesHasNoPartners) {
  EXPECT_TRUE(plans_of({}, 0).empty());
  EXPECT_TRUE(plans_of({{0, 0, 0, 8}, {0, 0, 1, 8}}, 0).empty());
}

}  // namespace
}  // namespace rondo::internal::slot_plan_test
