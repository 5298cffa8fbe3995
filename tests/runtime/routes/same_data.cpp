#include "runtime/routes/same_data.hpp"

#include <gtest/gtest.h>

#include "datatypes/layout/layout.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::internal::same_data_test {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

/// The tags of the messages in each group, of all that are sent.
Groups groups_of(ScheduleBuilder&& builder) {
  const Schedule schedule = std::move(builder).build();
  std::vector<std::uint32_t> sends;
  for (const TaskId id : schedule.messages()) {
    if (schedule.tasks()[id].kind == TaskKind::send) sends.push_back(schedule.tasks()[id].message);
  }
  Groups groups;
  for (const SameData& group : same_data(schedule, sends)) {
    EXPECT_TRUE(std::ranges::is_sorted(group));
    std::vector<std::uint32_t>& tags = groups.emplace_back();
    for (const std::uint32_t number : group) tags.push_back(schedule.tasks()[schedule.messages()[number]].tag);
    std::ranges::sort(tags);
  }
  std::ranges::sort(groups);
  return groups;
}

void copy(ScheduleBuilder& builder, BlockId from, BlockId to) { builder.copy({&from, 1}, {&to, 1}); }
void send(ScheduleBuilder& builder, std::uint32_t tag, BlockId block) {
  builder.send(1 + static_cast<int>(tag), tag, {&block, 1});
}

TEST(SameData, WhatIsSentFromTheSameBytes) {
  ScheduleBuilder builder;
  const BlockId one = builder.block(Space::send, 0, 8);
  send(builder, 0, one);
  send(builder, 1, one);
  send(builder, 2, builder.block(Space::send, 8, 8));   // other bytes
  send(builder, 3, builder.block(Space::send, 0, 12));  // more of them
  send(builder, 4, builder.block(Space::send, 0, 8));   // the same, by another name
  send(builder, 5, builder.block(Space::send, 0, 12));
  EXPECT_EQ(groups_of(std::move(builder)), (Groups{{0, 1, 4}, {3, 5}}));
}

TEST(SameData, OnlyOfThoseThatAreAskedFor) {
  ScheduleBuilder builder;
  const BlockId one = builder.block(Space::send, 0, 8);
  for (std::uint32_t tag = 0; tag < 3; ++tag) send(builder, tag, one);
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(same_data(schedule, std::array{2U, 0U}), (std::vector<SameData>{{0, 2}}));
  EXPECT_TRUE(same_data(schedule, std::array{1U}).empty());
  EXPECT_TRUE(same_data(schedule, {}).empty());
}

/// That begin at the same byte and have the same size.
TEST(SameData, LayoutsAreTheSameOrNot) {
  ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
  const auto every = [&](std::int64_t stride) -> const Layout& {
    Layout layout;
    layout.append({0, 4, 5, stride});
    return builder.keep(std::move(layout));
  };
  send(builder, 0, builder.block(Space::send, 0, every(8)));
  send(builder, 1, builder.block(Space::send, 0, every(12)));
  send(builder, 2, builder.block(Space::send, 0, every(8)));
  send(builder, 3, builder.block(Space::send, 4, every(8)));
  send(builder, 4, builder.block(Space::send, 0, every(16)));
  send(builder, 5, builder.block(Space::send, 0, every(12)));
  send(builder, 6, builder.block(Space::send, 0, 20));
  EXPECT_EQ(groups_of(std::move(builder)), (Groups{{0, 2}, {1, 5}}));
}

TEST(SameData, WhatIsPassedOn) {
  for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
    ScheduleBuilder builder(ordering);
    const std::array arriving{builder.block(Space::recv, 0, 8), builder.transit(8)};
    builder.receive(1, 0, {&arriving[0], 1});
    builder.receive(2, 0, {&arriving[1], 1});
    builder.begin_phase();
    for (std::uint32_t tag = 0; tag < 4; ++tag) send(builder, tag, arriving[tag % 2]);
    EXPECT_EQ(groups_of(std::move(builder)), (Groups{{0, 2}, {1, 3}}));
  }
}

/// The same bytes at other times.
TEST(SameData, MemoryThatIsUsedAgain) {
  ScheduleBuilder builder;
  const BlockId one = builder.block(Space::send, 0, 8);
  const BlockId other = builder.block(Space::send, 8, 8);
  const BlockId bucket = builder.block(Space::scratch, builder.reserve_scratch(8), 8);
  copy(builder, one, bucket);
  send(builder, 0, bucket);
  send(builder, 1, bucket);
  copy(builder, other, bucket);
  send(builder, 2, bucket);
  send(builder, 3, bucket);
  copy(builder, one, bucket);
  send(builder, 4, bucket);
  EXPECT_EQ(groups_of(std::move(builder)), (Groups{{0, 1}, {2, 3}}));
}

TEST(SameData, InPlace) {
  ScheduleBuilder builder;
  builder.set_in_place();
  const BlockId own = builder.block(Space::recv, 0, 8);
  builder.set_filled(own);
  send(builder, 0, own);
  send(builder, 1, own);
  builder.receive(1, 2, {&own, 1});
  send(builder, 3, own);
  EXPECT_EQ(groups_of(std::move(builder)), (Groups{{0, 1}}));
}

/// Nothing writes the send buffer, whatever a send waits for.
TEST(SameData, ExchangesThatWaitForEachOther) {
  ScheduleBuilder builder;
  builder.set_window(1);
  const BlockId own = builder.block(Space::send, 0, 8);
  const BlockId arrives = builder.block(Space::recv, 0, 8);
  builder.exchange(1, 1, 0, {&own, 1}, {&arrives, 1});
  for (std::uint32_t tag = 1; tag < 3; ++tag) {
    builder.begin_exchange();
    send(builder, tag, own);
  }
  for (std::uint32_t tag = 3; tag < 5; ++tag) {  // not told from memory that is written meanwhile
    builder.begin_exchange();
    send(builder, tag, arrives);
  }
  EXPECT_EQ(groups_of(std::move(builder)), (Groups{{0, 1, 2}}));
}

/// Parts of both buffers: the one that is written counts.
TEST(SameData, AcrossSpaces) {
  ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
  const std::array both{builder.block(Space::send, 0, 4), builder.transit(4)};
  builder.receive(1, 0, {&both[1], 1});
  builder.send(1, 1, both);
  builder.send(2, 2, both);
  const std::array turned{both[1], both[0]};
  builder.send(3, 3, turned);
  EXPECT_EQ(groups_of(std::move(builder)), (Groups{{1, 2}}));
}

}  // namespace
}  // namespace rondo::internal::same_data_test
