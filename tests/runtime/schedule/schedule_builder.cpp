#include "runtime/schedule/schedule_builder.hpp"

#include <gtest/gtest.h>

#include <rondo/error.hpp>
#include "tests/support/edges.hpp"

#include <set>
#include <string>

namespace rondo::internal::schedule_builder_test {
namespace {

std::vector<BlockId> blocks(ScheduleBuilder& builder, Space space, int count, std::int64_t bytes) {
  std::vector<BlockId> made;
  for (int i = 0; i < count; ++i) made.push_back(builder.block(space, i * bytes, bytes));
  return made;
}

TEST(ScheduleBuilder, ReadAfterWrite) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 1, 8);
  const auto recv = blocks(builder, Space::recv, 1, 8);
  const std::vector transit{builder.transit(8)};
  builder.copy(send, transit);
  builder.copy(transit, recv);
  EXPECT_EQ(edges_of(std::move(builder).build()), (Edges{{0, 1}}));
}

TEST(ScheduleBuilder, WriteAfterRead) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 2, 8);
  const auto recv = blocks(builder, Space::recv, 2, 8);
  const std::vector transit{builder.transit(8)};
  builder.copy(std::span(send).first(1), transit);
  builder.copy(transit, std::span(recv).first(1));
  builder.copy(std::span(send).last(1), transit);
  builder.copy(transit, std::span(recv).last(1));
  EXPECT_EQ(edges_of(std::move(builder).build()), (Edges{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(ScheduleBuilder, AWriteWaitsForAllReaders) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 2, 8);
  const auto recv = blocks(builder, Space::recv, 3, 8);
  const std::vector transit{builder.transit(8)};
  builder.copy(std::span(send).first(1), transit);
  builder.copy(transit, std::span(recv).first(1));
  builder.copy(transit, std::span(recv).subspan(1, 1));
  builder.copy(std::span(send).last(1), transit);
  builder.copy(transit, std::span(recv).last(1));
  EXPECT_EQ(edges_of(std::move(builder).build()), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
}

TEST(ScheduleBuilder, IndependentTasksHaveNoEdges) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 3, 8);
  const auto recv = blocks(builder, Space::recv, 3, 8);
  for (std::size_t i = 0; i < 3; ++i) {
    builder.exchange(1, 2, static_cast<std::uint32_t>(i), std::span(send).subspan(i, 1), std::span(recv).subspan(i, 1));
  }
  const Schedule schedule = std::move(builder).build();
  EXPECT_TRUE(edges_of(schedule).empty());
  EXPECT_EQ(schedule.messages().size(), 6U);
  EXPECT_EQ(schedule.tags(), 3U);
  EXPECT_EQ(schedule.roots().size(), 6U);
  EXPECT_EQ(schedule.tasks()[schedule.roots().front()].kind, TaskKind::receive) << "receives are posted first";
}

TEST(ScheduleBuilder, AdjacentBlocksTravelWithoutCopies) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 4, 8);
  const auto recv = blocks(builder, Space::recv, 4, 8);
  builder.exchange(1, 1, 0, send, recv);
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.tasks().size(), 2U);
  EXPECT_EQ(schedule.tasks()[0].bytes, 32);
  EXPECT_EQ(schedule.scratch_bytes(), 0);
}

TEST(ScheduleBuilder, ScatteredBlocksAreStaged) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 4, 8);
  const auto recv = blocks(builder, Space::recv, 4, 8);
  const std::vector out{send[0], send[2]};
  const std::vector in{recv[1], recv[3]};
  builder.exchange(1, 1, 0, out, in);
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(schedule.tasks().size(), 4U) << "pack, send, receive, unpack";
  EXPECT_EQ(edges_of(schedule), (Edges{{0, 1}, {2, 3}}));
}

/// Ranks whose buffers lie otherwise must choose alike: what lies well by chance counts as much.
TEST(ScheduleBuilder, WhatIsStagedIsCountedAlikeWhereverBlocksLie) {
  const auto exchanged = [](std::initializer_list<std::size_t> out, std::initializer_list<std::size_t> in) {
    ScheduleBuilder builder;
    const auto send = blocks(builder, Space::send, 4, 8);
    const auto recv = blocks(builder, Space::recv, 4, 8);
    std::vector<BlockId> outgoing;
    std::vector<BlockId> incoming;
    for (const std::size_t i : out) outgoing.push_back(send[i]);
    for (const std::size_t i : in) incoming.push_back(recv[i]);
    builder.exchange(1, 1, 0, outgoing, incoming);
    return std::move(builder).build();
  };
  for (const Schedule& schedule :
       {exchanged({0, 2}, {1, 2, 3}), exchanged({0, 1}, {0, 1, 3}), exchanged({1, 2}, {1, 2, 3})}) {
    EXPECT_EQ(schedule.staged_blocks(), 5);
    EXPECT_EQ(schedule.staged_bytes(), 40);
  }
  const Schedule single = exchanged({0}, {3});
  EXPECT_EQ(single.staged_blocks(), 0) << "each is a message as it lies";
  EXPECT_EQ(single.staged_bytes(), 0);
}

/// Only where the builder chose, and the other form would do something else.
TEST(ScheduleBuilder, SaysWhatOtherFormsOfMessagesWouldCost) {
  const FormCosts costs{.copied_piece = 1,
                        .copied_byte = 0,
                        .cache = 1 << 20,
                        .uncached_byte = 0,
                        .datatype_message = 100,
                        .datatype_piece = 0,
                        .datatype_byte = 0,
                        .long_piece = 1 << 20,
                        .longest_in_memory = 0};
  const auto sent = [&](std::size_t several, MessageForm form, const FormCosts& by) {
    ScheduleBuilder builder(Ordering::dependencies, form, by);
    const auto all = blocks(builder, Space::send, 2 * static_cast<int>(several), 8);
    std::vector<BlockId> outgoing;
    for (std::size_t i = 0; i < several; ++i) outgoing.push_back(all[2 * i]);
    builder.send(1, 0, outgoing);
    return builder.other_forms();
  };
  const OtherForms of_few = sent(30, MessageForm::automatic, costs);
  EXPECT_EQ(of_few.staged, 0);
  EXPECT_EQ(of_few.datatype, 70);
  EXPECT_EQ(of_few.pieces, 30);
  const OtherForms of_many = sent(300, MessageForm::automatic, costs);
  EXPECT_EQ(of_many.staged, 200);
  EXPECT_EQ(of_many.datatype, 0);
  EXPECT_EQ(sent(300, MessageForm::staged, costs).pieces, 0) << "the user chose";
  EXPECT_EQ(sent(1, MessageForm::automatic, costs).pieces, 0) << "it has but one form";
  ScheduleBuilder passing_on(Ordering::dependencies, MessageForm::automatic, costs);
  passing_on.receive(1, 0, std::vector{passing_on.transit(8), passing_on.transit(8)});
  EXPECT_EQ(passing_on.other_forms().datatype, OtherForms::kNever) << "it stays where it arrives";
  FormCosts in_memory = costs;
  in_memory.longest_in_memory = 1 << 20;
  EXPECT_EQ(sent(30, MessageForm::automatic, in_memory).staged, OtherForms::kNever);
}

TEST(ScheduleBuilder, ScatteredBlocksCanTravelAsDatatype) {
  ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
  const auto send = blocks(builder, Space::send, 4, 8);
  const auto recv = blocks(builder, Space::recv, 4, 8);
  const std::vector out{send[0], send[2]};
  const std::vector in{recv[1], recv[3]};
  builder.exchange(1, 1, 0, out, in);
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(schedule.tasks().size(), 2U);
  EXPECT_EQ(schedule.wire_layouts().size(), 2U);
}

/// As basic Bruck has it: what arrives lies in an intermediate buffer in a row, is unpacked, and the next may come.
TEST(ScheduleBuilder, ReservedScratchMemoryIsWrittenReadAndWrittenAgain) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 2, 8);
  const auto recv = blocks(builder, Space::recv, 4, 8);
  builder.reserve_scratch(1);
  const std::int64_t area = builder.reserve_scratch(16);
  EXPECT_EQ(area, 64) << "begins a cache line";
  const std::vector between{builder.block(Space::scratch, area, 8), builder.block(Space::scratch, area + 8, 8)};
  builder.exchange(1, 1, 0, send, between);
  builder.copy(between, std::vector{recv[2], recv[0]});
  builder.exchange(1, 1, 1, send, between);
  builder.copy(between, std::vector{recv[3], recv[1]});
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.tasks().size(), 6U) << "what arrives is one piece";
  EXPECT_EQ(schedule.tasks()[1].target_offset, area);
  EXPECT_EQ(edges_of(schedule), (Edges{{1, 2}, {2, 4}, {4, 5}}));
  EXPECT_EQ(schedule.scratch_bytes(), area + 16);
}

/// As irregular Bruck has it: what arrives next is shorter, and must not come before the other has left.
TEST(ScheduleBuilder, ABucketHoldsBlocksOfAnySizeOneAfterTheOther) {
  ScheduleBuilder builder;
  const BlockId first = builder.block(Space::send, 0, 8);
  const BlockId second = builder.block(Space::send, 8, 3);
  const BlockId bucket = builder.block(Space::scratch, builder.reserve_scratch(8), 8);
  builder.exchange(1, 1, 0, {&first, 1}, {&bucket, 1});
  builder.send(2, 1, {&bucket, 1});
  builder.refill(bucket, 3);
  EXPECT_EQ(builder.bytes(bucket), 3);
  builder.exchange(1, 1, 2, {&second, 1}, {&bucket, 1});
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(edges_of(schedule), (Edges{{1, 2}, {2, 4}}));
  EXPECT_EQ(schedule.tasks()[2].bytes, 8);
  EXPECT_EQ(schedule.tasks()[4].bytes, 3);
}

TEST(ScheduleBuilder, ALoweringMaySayHowItsMessagesTravel) {
  for (const MessageForm asked : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
    ScheduleBuilder builder(Ordering::dependencies, asked);
    builder.set_message_form(MessageForm::datatype);
    const auto send = blocks(builder, Space::send, 4, 8);
    const auto recv = blocks(builder, Space::recv, 4, 8);
    builder.exchange(1, 1, 0, std::vector{send[0], send[2]}, std::vector{recv[1], recv[3]});
    EXPECT_EQ(std::move(builder).build().tasks().size(), 2U) << "no copies";
  }
}

/// The datatype of each block on its own, also where the blocks are one piece.
TEST(ScheduleBuilder, AMessageWithARecipeIsADatatype) {
  for (const MessageForm asked : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
    ScheduleBuilder builder(Ordering::dependencies, asked);
    const auto send = blocks(builder, Space::send, 4, 8);
    const auto recv = blocks(builder, Space::recv, 4, 8);
    builder.begin_exchange();
    builder.send(1, 0, send, {TypeConstructor::indexed_block, {4, 0, 4, 4, 4}});
    builder.receive(1, 0, std::vector{recv[1], recv[3]}, {TypeConstructor::struct_of_runs, {}});
    const Schedule schedule = std::move(builder).build();
    ASSERT_EQ(schedule.tasks().size(), 2U) << "no copies";
    ASSERT_EQ(schedule.wire_layouts().size(), 2U);
    EXPECT_EQ(schedule.wire_layouts()[0].recipe().constructor, TypeConstructor::indexed_block);
    EXPECT_EQ(schedule.wire_layouts()[0].parts().front().layout.pieces(), 1);
    EXPECT_EQ(schedule.wire_layouts()[1].recipe().constructor, TypeConstructor::struct_of_runs);
    EXPECT_EQ(schedule.wire_layouts()[1].parts().front().layout.pieces(), 2);
  }
}

/// Zero-copy (ICS 2014, section 3.3): blocks of the user's and blocks in transit in one message, without a copy.
TEST(ScheduleBuilder, ADatatypeReachesIntoSeveralSpaces) {
  ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
  const auto send = blocks(builder, Space::send, 6, 8);
  const auto recv = blocks(builder, Space::recv, 6, 8);
  const std::vector transit{builder.transit(8), builder.transit(8)};
  const std::vector first{send[0], send[1], send[4]};
  const std::vector arriving{transit[0], transit[1], recv[4]};
  builder.exchange(1, 1, 0, first, arriving);
  builder.begin_phase();
  const std::vector second{send[5], transit[0], transit[1]};
  const std::vector last{recv[5], recv[0], recv[1]};
  builder.exchange(2, 2, 1, second, last);
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.tasks().size(), 4U) << "no copies";
  EXPECT_EQ(edges_of(schedule), (Edges{{1, 2}}));
  ASSERT_EQ(schedule.wire_layouts().size(), 4U);
  const auto parts = [&](std::size_t i) { return schedule.wire_layouts()[schedule.tasks()[i].first_part].parts(); };
  ASSERT_EQ(parts(0).size(), 1U);
  EXPECT_EQ(parts(0)[0].layout.pieces(), 2) << "blocks 0 and 1 are one piece";
  ASSERT_EQ(parts(1).size(), 2U);
  EXPECT_EQ(parts(1)[0].space, Space::scratch);
  EXPECT_EQ(parts(1)[0].layout.pieces(), 1) << "what arrives side by side lies side by side";
  EXPECT_EQ(parts(1)[1].space, Space::recv);
  ASSERT_EQ(parts(2).size(), 2U);
  EXPECT_EQ(parts(2)[0].space, Space::send);
  EXPECT_EQ(parts(2)[1].space, Space::scratch);
  EXPECT_EQ(parts(2)[1].layout.pieces(), 1);
}

int copies(const Schedule& schedule) {
  int found = 0;
  for (const Task& task : schedule.tasks()) found += task.kind == TaskKind::copy ? 1 : 0;
  return found;
}

/// One ends at the offset at which the next begins, but in other memory.
TEST(ScheduleBuilder, BlocksOfTwoSpacesAreNotOnePiece) {
  for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
    SCOPED_TRACE(static_cast<int>(form));
    ScheduleBuilder builder(Ordering::dependencies, form);
    const auto send = blocks(builder, Space::send, 2, 8);
    const auto recv = blocks(builder, Space::recv, 2, 8);
    ASSERT_EQ(builder.reserve_scratch(16), 0);
    const auto between = blocks(builder, Space::scratch, 2, 8);
    builder.exchange(1, 1, 0, std::span(send).first(1), std::span(between).first(1));
    builder.exchange(1, 1, 1, std::vector{between[0], send[1]}, std::vector{recv[0], between[1]});
    const Schedule schedule = std::move(builder).build();
    if (form != MessageForm::datatype) {
      EXPECT_EQ(copies(schedule), 4) << "one from each space, and one to each";
      continue;
    }
    EXPECT_EQ(copies(schedule), 0);
    ASSERT_EQ(schedule.wire_layouts().size(), 2U);
    for (const WireLayout& wire : schedule.wire_layouts()) EXPECT_EQ(wire.parts().size(), 2U);
  }
}

TEST(ScheduleBuilder, AutomaticTakesADatatypeForLongPiecesOnly) {
  const auto exchanged = [](std::int64_t piece, std::int64_t count) {
    Layout layout;
    layout.append({0, piece, count, 2 * piece});
    ScheduleBuilder builder;
    const std::vector out{builder.block(Space::send, 0, layout)};
    const std::vector in{builder.block(Space::recv, 0, layout)};
    builder.exchange(1, 1, 0, out, in);
    return std::move(builder).build();
  };
  const Schedule of_long_pieces = exchanged(64 << 10, 100);
  EXPECT_EQ(copies(of_long_pieces), 0);
  EXPECT_EQ(of_long_pieces.wire_layouts().size(), 2U);
  EXPECT_EQ(of_long_pieces.scratch_bytes(), 0);
  for (const std::int64_t count : {20, 2000, 800'000}) {
    const Schedule of_small_pieces = exchanged(8, count);
    EXPECT_EQ(copies(of_small_pieces), 2) << count;
    EXPECT_TRUE(of_small_pieces.wire_layouts().empty()) << count;
  }
}

/// A datatype across spaces would be made anew for each buffer, however long its pieces are.
TEST(ScheduleBuilder, AutomaticStagesWhatLiesInSeveralSpaces) {
  constexpr std::int64_t kLong = 64 << 10;
  ScheduleBuilder builder;
  std::vector<BlockId> out;
  std::vector<BlockId> in;
  for (int i = 0; i < 50; ++i) {
    out.push_back(builder.block(Space::send, 2 * i * kLong, kLong));
    in.push_back(i % 2 == 0 ? builder.transit(kLong) : builder.block(Space::recv, 2 * i * kLong, kLong));
  }
  builder.exchange(1, 1, 0, out, in);
  const Schedule first = std::move(builder).build();
  EXPECT_EQ(copies(first), 1) << "what was received; what is sent lies in one space";
  for (const WireLayout& wire : first.wire_layouts()) EXPECT_TRUE(wire.in_one_space());

  ScheduleBuilder second;
  const std::vector from{second.block(Space::send, 0, kLong)};
  const std::vector through{second.transit(kLong)};
  second.exchange(1, 1, 0, from, through);
  const std::vector both{through[0], second.block(Space::send, 2 * kLong, kLong)};
  const std::vector to{second.block(Space::recv, 0, 2 * kLong)};
  second.exchange(2, 2, 1, both, to);
  const Schedule sent = std::move(second).build();
  EXPECT_EQ(copies(sent), 2) << "one from each space";
  EXPECT_TRUE(sent.wire_layouts().empty());
}

/// Where messages are packed straight into what their receivers unpack, they need no datatype, unless they are long.
TEST(ScheduleBuilder, WhatLiesInSeveralSpacesIsNotStagedForMemory) {
  FormCosts costs = measured_form_costs();
  costs.longest_in_memory = 1000;
  const auto passed_on = [&](std::int64_t bytes) {
    ScheduleBuilder builder(Ordering::dependencies, MessageForm::automatic, costs);
    const BlockId own = builder.block(Space::send, 0, bytes);
    const std::array through{builder.transit(bytes), builder.transit(bytes)};
    builder.receive(1, 0, through);
    builder.send(1, 1, std::array{through[1], own});
    return std::move(builder).build();
  };
  EXPECT_EQ(copies(passed_on(500)), 2) << "one from each space";
  costs.across_spaces = true;
  const Schedule short_one = passed_on(500);
  EXPECT_EQ(copies(short_one), 0);
  ASSERT_EQ(short_one.wire_layouts().size(), 1U);
  EXPECT_FALSE(short_one.wire_layouts().front().in_one_space());
  EXPECT_EQ(copies(passed_on(501)), 2);
}

TEST(ScheduleBuilder, TransitBlocksStayWhereTheyArrive) {
  ScheduleBuilder builder;
  const auto send = blocks(builder, Space::send, 2, 8);
  const auto recv = blocks(builder, Space::recv, 2, 8);
  const std::vector transit{builder.transit(8), builder.transit(8)};
  builder.exchange(1, 1, 0, send, transit);
  builder.begin_phase();
  builder.exchange(2, 2, 1, transit, recv);
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(schedule.tasks().size(), 4U) << "no copies: what arrived together leaves together";
  EXPECT_EQ(edges_of(schedule), (Edges{{1, 2}})) << "only the arrival holds the second send back";
  EXPECT_EQ(schedule.phases(), 2U);
}

TEST(ScheduleBuilder, PhasesWaitForWholePhases) {
  ScheduleBuilder builder(Ordering::phases);
  const auto send = blocks(builder, Space::send, 2, 8);
  const auto recv = blocks(builder, Space::recv, 2, 8);
  builder.exchange(1, 1, 0, std::span(send).first(1), std::span(recv).first(1));
  builder.begin_phase();
  builder.exchange(2, 2, 1, std::span(send).last(1), std::span(recv).last(1));
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(edges_of(schedule), (Edges{{0, 2}, {1, 2}, {2, 3}, {2, 4}}));
  EXPECT_EQ(schedule.tasks()[2].kind, TaskKind::join);
}

/// What the builder says of something it refuses.
template <typename Body>
std::string complaint(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ScheduleBuilder, SaysWhatIsWrong) {
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         const std::vector none{BlockId{7}};
                         builder.send(1, 0, none);
                       }),
                       "block 7 to send is out of range"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         builder.send(1, 0, blocks(builder, Space::send, 1, 0));
                       }),
                       "a send to rank 1 without bytes"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         const auto recv = blocks(builder, Space::recv, 1, 8);
                         builder.receive(1, 0, recv);
                         builder.receive(2, 1, recv);
                       }),
                       "written twice without order"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         builder.send(1, 0, blocks(builder, Space::recv, 1, 8));
                       }),
                       "read before anything wrote it"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         builder.receive(1, 0, blocks(builder, Space::send, 1, 8));
                       }),
                       "it belongs to the user"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         builder.copy(blocks(builder, Space::send, 1, 8), blocks(builder, Space::recv, 1, 9));
                       }),
                       "a copy of 8 bytes to 9"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         builder.exchange(-1, 0, 0, blocks(builder, Space::send, 1, 8),
                                          blocks(builder, Space::recv, 1, 8));
                       }),
                       "peer -1 is not a rank"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         const std::int64_t area = builder.reserve_scratch(64);
                         builder.block(Space::scratch, area + 57, 8);
                       }),
                       "a block of 8 bytes at 57 of scratch memory, which was not reserved"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         const BlockId bucket = builder.block(Space::scratch, builder.reserve_scratch(8), 8);
                         builder.refill(bucket, 9);
                       }),
                       "a block of 9 bytes at 0 of scratch memory, which was not reserved"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         builder.refill(builder.transit(8), 3);
                       }),
                       "block 0 is not a bucket"));
  EXPECT_TRUE(contains(complaint([] {
                         ScheduleBuilder builder;
                         const BlockId send = builder.block(Space::send, 0, 8);
                         const BlockId bucket = builder.block(Space::scratch, builder.reserve_scratch(8), 8);
                         builder.exchange(1, 1, 0, {&send, 1}, {&bucket, 1});
                         builder.refill(bucket, 3);
                         builder.send(1, 1, {&bucket, 1});
                       }),
                       "is read before anything wrote it"));
}

TEST(ScheduleBuilder, AViewWaitsForWhatIsReceivedIntoIt) {
  ScheduleBuilder builder;
  builder.set_in_place();
  const Layout row = Layout::contiguous(24);
  const Layout middle = Layout::contiguous(8);
  const std::vector arriving{builder.block(Space::recv, 0, 8), builder.block(Space::recv, 16, 8)};
  const std::vector own{builder.view(8, middle, {})};
  builder.exchange(1, 2, 0, own, std::span(arriving).first(1));  // tasks 0 and 1
  builder.exchange(2, 1, 1, own, std::span(arriving).last(1));   // tasks 2 and 3
  const std::vector all{builder.view(0, row, arriving)};
  builder.send(3, 2, all);
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(edges_of(schedule), (Edges{{1, 4}, {3, 4}}));
  EXPECT_TRUE(schedule.in_place());
  EXPECT_TRUE(Schedule(schedule.parts()).in_place());
  EXPECT_EQ(schedule.tasks().back().bytes, 24);
  EXPECT_EQ(schedule.tasks().back().first_part, kContiguous);
}

TEST(ScheduleBuilder, SaysWhatIsWrongInPlace) {
  const Layout eight = Layout::contiguous(8);
  EXPECT_NE(complaint([&] {
              ScheduleBuilder builder;
              builder.view(0, eight, {});
            }).find("not in place"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              ScheduleBuilder builder;
              builder.set_in_place();
              builder.receive(1, 0, std::vector{builder.view(0, eight, {})});
            }).find("it is a view"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              ScheduleBuilder builder;
              builder.set_in_place();
              const std::vector part{builder.block(Space::recv, 0, 8)};
              builder.send(1, 0, std::vector{builder.view(0, eight, part)});
            }).find("read before anything wrote it"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              ScheduleBuilder builder;
              builder.receive(1, 0, std::vector{builder.block(Space::recv, 0, 8)});
              builder.set_in_place();
            }).find("set in place too late"),
            std::string::npos);
}

/// MPI counts in ints: what is longer goes as a datatype, whatever its form.
TEST(ScheduleBuilder, MessagesOfMoreThanMpiCanCount) {
  constexpr std::int64_t kHuge = (std::int64_t{1} << 31) + 64;
  Layout strided;
  strided.append({0, 64, kHuge / 64, 128});
  ScheduleBuilder builder;
  const std::vector from{builder.block(Space::send, 0, strided)};
  const std::vector through{builder.transit(kHuge)};
  const std::vector to{builder.block(Space::recv, 0, strided)};
  builder.exchange(1, 1, 0, from, through);
  builder.exchange(1, 1, 1, through, to);
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.messages().size(), 4U);
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    EXPECT_EQ(task.bytes, kHuge);
    ASSERT_NE(task.first_part, kContiguous);
    EXPECT_EQ(schedule.wire_layouts()[task.first_part].parts().front().layout.size(), kHuge);
  }
}

/// An operation in place that passes on what its buffer held: what arrives waits until that has been read.
TEST(ScheduleBuilder, InPlaceTheBufferMayHoldSomethingFromTheStart) {
  ScheduleBuilder builder;
  builder.set_in_place();
  const BlockId block = builder.block(Space::recv, 0, 8);
  const BlockId copy = builder.transit(8);
  builder.set_filled(block);
  EXPECT_THROW(builder.set_filled(block), Error);
  EXPECT_THROW(builder.set_filled(copy), Error);
  builder.copy({&block, 1}, {&copy, 1});
  builder.receive(1, 0, {&block, 1});
  builder.send(1, 0, {&copy, 1});
  const Schedule schedule = std::move(builder).build();
  ASSERT_EQ(schedule.tasks().size(), 3U);
  EXPECT_EQ(schedule.in_degrees()[1], 1U) << "the receive waits for the copy";

  ScheduleBuilder with_two_buffers;
  const BlockId recv = with_two_buffers.block(Space::recv, 0, 8);
  EXPECT_THROW(with_two_buffers.set_filled(recv), Error);
}

}  // namespace
}  // namespace rondo::internal::schedule_builder_test
