#include "runtime/schedule/schedule_stream.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/ring_reduction.hpp"

#include <algorithm>
#include <array>

namespace rondo::internal::schedule_stream_test {
namespace {

Schedule there_and_back(const Schedule& schedule) {
  ByteWriter writer;
  write_schedule(writer, schedule);
  ByteReader reader(writer.bytes());
  return read_schedule(reader);
}

/// The schedules of a case, as another rank sees them.
CollectiveCase there_and_back(CollectiveCase collective) {
  for (auto& schedule : collective.schedules) schedule = std::make_shared<const Schedule>(there_and_back(*schedule));
  return collective;
}

TEST(ScheduleStream, LayoutsArriveAsTheyWere) {
  Layout layout;
  layout.append({-8, 3, 1, 0});
  layout.append({4, 2, 5, 7});
  layout.append({100, 1, 4, 9, 2});
  layout.set_extent(200);
  ByteWriter writer;
  write_layout(writer, layout);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(read_layout(reader), layout);
}

TEST(ScheduleStream, WhatWasRightIsRightThere) {
  const AlltoallCase given{
      .sizes = {3, 2}, .neighborhood = moore(2, 1), .bytes = [](int, int i) { return 5 * (i % 3); }};
  for_each_alltoall(given, true, 0,
                    [](const CollectiveCase& alltoall) { EXPECT_EQ(checked(there_and_back(alltoall)), ""); });
  for (const bool holes : {false, true}) {
    for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
      const CollectiveCase reduction =
          ring_reduction({.ranks = 5, .blocks = 4, .holes = holes, .form = form}, byte_sum());
      EXPECT_EQ(checked(there_and_back(reduction)), "");
    }
  }
}

/// So that no part of a schedule is forgotten.
TEST(ScheduleStream, EveryPartMatters) {
  const CollectiveCase original = ring_reduction({.ranks = 2, .blocks = 2, .holes = true}, byte_sum());
  const Schedule& schedule = *original.schedules.front();
  const Schedule copy = there_and_back(schedule);
  const auto same = [](const Task& one, const Task& other) {
    return one.kind == other.kind && one.source_offset == other.source_offset &&
           one.target_offset == other.target_offset && one.bytes == other.bytes && one.message == other.message &&
           one.first_successor == other.first_successor && one.successor_count == other.successor_count;
  };
  EXPECT_TRUE(std::ranges::equal(copy.tasks(), schedule.tasks(), same));
  EXPECT_TRUE(std::ranges::equal(copy.successors(), schedule.successors()));
  EXPECT_TRUE(std::ranges::equal(copy.roots(), schedule.roots()));
  EXPECT_EQ(copy.runs().size(), schedule.runs().size());
  ASSERT_EQ(copy.reductions().size(), 1U);
  EXPECT_EQ(copy.reductions()[0]->layout(), schedule.reductions()[0]->layout());
  EXPECT_EQ(copy.reductions()[0]->alignment(), schedule.reductions()[0]->alignment());
  EXPECT_EQ(copy.scratch_bytes(), schedule.scratch_bytes());
  EXPECT_EQ(copy.phases(), schedule.phases());
  EXPECT_EQ(copy.tags(), schedule.tags());
  EXPECT_EQ(copy.in_place(), schedule.in_place());
}

TEST(ScheduleStream, PairsOfOperandsArrive) {
  const auto reduction = byte_reduction(byte_sum(), false);
  ScheduleBuilder builder;
  builder.set_reduction(reduction);
  const BlockId own = builder.block(Space::send, 0, reduction->layout());
  const std::vector sums{builder.block(Space::recv, 0, reduction->layout()),
                         builder.block(Space::recv, 7, reduction->layout())};
  builder.copy(std::vector{own, own}, sums);
  builder.reduce(std::vector{own, own}, sums);
  const Schedule schedule = there_and_back(std::move(builder).build());
  EXPECT_EQ(schedule.tasks().back().reduction, 0);
  const auto pairs = schedule.operand_pairs(schedule.tasks().back());
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].target, 0);
  EXPECT_EQ(pairs[1].target, 7);
}

TEST(ScheduleStream, MissingBytesAreSaid) {
  ByteWriter writer;
  write_schedule(writer, *ring_reduction({.ranks = 2, .blocks = 2, .holes = true}, byte_sum()).schedules.front());
  const std::span<const std::byte> all = writer.bytes();
  for (std::size_t size = 0; size < all.size(); ++size) {
    ByteReader reader(all.first(size));
    EXPECT_THROW(static_cast<void>(read_schedule(reader)), Error) << size;
  }
}

}  // namespace
}  // namespace rondo::internal::schedule_stream_test
