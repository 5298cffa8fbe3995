// What the schedule checker finds in schedules that reduce. That it finds missing dependencies: schedule_checker.cpp.
#include "runtime/check/data_check.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases/ring_reduction.hpp"
#include "tests/support/cases/simulation.hpp"

#include <functional>

namespace rondo::internal::data_check_test {
namespace {

using Change = std::function<void(ScheduleParts&)>;

/// Rank 0's tasks: copy, send, receive, reduce, send, receive, reduce.
CollectiveCase three_of_four() { return ring_reduction({.ranks = 4, .blocks = 3}, byte_sum()); }

void change(CollectiveCase& collective, const Change& how) {
  ScheduleParts parts = collective.schedules[0]->parts();
  how(parts);
  collective.schedules[0] = std::make_shared<const Schedule>(std::move(parts));
}

void expect_finding(const CollectiveCase& collective, Flaw flaw, const std::vector<std::string>& words) {
  const auto finding = check(collective);
  ASSERT_TRUE(finding.has_value()) << name(flaw);
  EXPECT_EQ(name(finding->flaw), std::string(name(flaw))) << finding->story;
  for (const std::string& word : words)
    EXPECT_NE(finding->story.find(word), std::string::npos) << "\"" << word << "\" is not in: " << finding->story;
}

/// One copy for each half of a block of eight bytes, of the four from there on.
CollectiveCase halves_copied(std::int64_t first, std::int64_t second) {
  ScheduleBuilder builder;
  for (const auto& [from, to] : {std::pair{first, 0}, std::pair{second, 4}}) {
    const BlockId source = builder.block(Space::send, from, 4);
    const BlockId target = builder.block(Space::recv, to, 4);
    builder.copy({&source, 1}, {&target, 1});
  }
  return {.name = "halves",
          .schedules = {std::make_shared<const Schedule>(std::move(builder).build())},
          .definition = {{0, 0, 0, 0, 8}},
          .send_bytes = {8},
          .recv_bytes = {8}};
}

/// After `how` was done to rank 0's schedule.
void expect_finding(const Change& how, Flaw flaw, const std::vector<std::string>& words) {
  CollectiveCase collective = three_of_four();
  change(collective, how);
  expect_finding(collective, flaw, words);
}

Task& last_reduce(ScheduleParts& parts) {
  return *std::ranges::find(parts.tasks.rbegin(), parts.tasks.rend(), TaskKind::reduce, &Task::kind);
}

void make_join(Task& task) {
  task.kind = TaskKind::join;
  task.bytes = 0;
}

TEST(DataCheck, FindsNothingWrongWithReductionsThatAreRight) {
  for (const bool holes : {false, true}) {
    for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
      for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
        for (int ranks = 1; ranks < 8; ++ranks) {
          for (int blocks = 1; blocks < 10; ++blocks) {
            const CollectiveCase direct = ring_reduction(
                {.ranks = ranks, .blocks = blocks, .holes = holes, .ordering = ordering, .form = form}, byte_fold());
            ASSERT_EQ(checked(direct), "");
            ASSERT_EQ(simulate({&direct, 1}, static_cast<std::uint64_t>(blocks), 2), "");
          }
          for (const int blocks : {2, 4, 16}) {
            const CollectiveCase doubling = ring_reduction({.ranks = ranks,
                                                            .blocks = blocks,
                                                            .way = RingReduction::Way::doubling,
                                                            .holes = holes,
                                                            .ordering = ordering,
                                                            .form = form},
                                                           byte_sum());
            ASSERT_EQ(checked(doubling), "");
            ASSERT_EQ(simulate({&doubling, 1}, static_cast<std::uint64_t>(blocks), 2), "");
          }
        }
      }
    }
  }
}

/// What tells one association from another in the tests of algorithms that promise one.
TEST(DataCheck, TheSimulationSeesTheOrderWhereItMatters) {
  const CollectiveCase doubling =
      ring_reduction({.ranks = 5, .blocks = 4, .way = RingReduction::Way::doubling}, byte_fold());
  EXPECT_EQ(checked(doubling), "") << "the same blocks, combined in another order";
  EXPECT_NE(simulate({&doubling, 1}, 1, 1), "");
}

TEST(DataCheck, AMissingContribution) {
  expect_finding(
      [](ScheduleParts& parts) { make_join(last_reduce(parts)); }, Flaw::wrong_data,
      {"rank 0's receive bytes [5, 12)", "2 blocks combined", "not as 3", "missing: rank 2's send bytes [5, 12)"});
}

TEST(DataCheck, AContributionTwice) {
  expect_finding(
      [](ScheduleParts& parts) {
        parts.tasks.push_back(last_reduce(parts));
        parts.edges.emplace_back(6, 7);
      },
      Flaw::wrong_data, {"4 blocks combined", "too much: rank 2's send bytes [5, 12)", "task 7"});
}

TEST(DataCheck, AWrongContribution) {
  expect_finding([](ScheduleParts& parts) { last_reduce(parts).source_offset = parts.tasks[3].source_offset; },
                 Flaw::wrong_data, {"missing: rank 2's", "too much: rank 3's"});
  CollectiveCase other = three_of_four();
  other.combinations[0].sources[2].offset += 1;
  other.combinations[1].sources[0].offset += 1;  // else nobody would be allowed to read that byte
  expect_finding(other, Flaw::wrong_data,
                 {"missing: rank 2's send bytes [6, 13)", "too much: rank 2's send bytes [5, 12)"});
}

TEST(DataCheck, NothingReducedAtAll) {
  expect_finding(
      [](ScheduleParts& parts) {
        for (Task& task : parts.tasks) {
          if (task.kind == TaskKind::reduce) make_join(task);
        }
      },
      Flaw::wrong_data,
      {"end as rank 0's send bytes [5, 12), not as 3 blocks combined; missing: rank 2's", ", and 1 more"});
}

TEST(DataCheck, ReducedWhereNothingShouldBe) {
  CollectiveCase copied = three_of_four();
  for (Combination& line : copied.combinations) line.sources.resize(1);
  expect_finding(copied, Flaw::wrong_data,
                 {"3 blocks combined, not as rank 0's send bytes [5, 12); too much: rank 2's"});
}

TEST(DataCheck, APieceTwice) {
  EXPECT_EQ(checked(halves_copied(0, 4)), "");
  expect_finding(
      halves_copied(0, 0), Flaw::wrong_data,
      {"rank 0's receive bytes [4, 8) end as rank 0's send bytes [0, 4), not as rank 0's send bytes [4, 8)"});
  expect_finding(
      halves_copied(4, 0), Flaw::wrong_data,
      {"rank 0's receive bytes [0, 4) end as rank 0's send bytes [4, 8), not as rank 0's send bytes [0, 4)"});
}

TEST(DataCheck, AnOverwrittenAccumulator) {
  expect_finding([](ScheduleParts& parts) { last_reduce(parts).kind = TaskKind::copy; }, Flaw::wrong_data,
                 {"end as rank 2's send bytes [5, 12), not as 3 blocks combined", "missing: rank 0's", ", and 1 more"});
}

TEST(DataCheck, AnAccumulatorThatNothingWrote) {
  expect_finding([](ScheduleParts& parts) { parts.tasks[0].target_offset = 4; }, Flaw::unwritten,
                 {"reduce (task 3", "receive bytes [11, 12)", "nothing has written"});
}

TEST(DataCheck, AContributionThatNothingWrote) {
  expect_finding(
      [](ScheduleParts& parts) {
        last_reduce(parts).source_offset += 4;
        parts.scratch_bytes += 4;
      },
      Flaw::unwritten, {"reduce (task 6", "nothing has written"});
}

TEST(DataCheck, TwoReducesOfOneAccumulatorInNoOrder) {
  expect_finding(
      [](ScheduleParts& parts) {
        for (auto& [from, to] : parts.edges) {
          if (from == 3 && to == 6) from = 0;
        }
      },
      Flaw::race, {"reduce (task 3", "reduce (task 6", "receive bytes [5, 12)"});
}

TEST(DataCheck, AReduceThatReadsWhatItWrites) {
  expect_finding(
      [](ScheduleParts& parts) {
        last_reduce(parts).source_space = Space::recv;
        last_reduce(parts).source_offset = last_reduce(parts).target_offset + 3;
      },
      Flaw::race, {"reduce (task 6", "reads and writes receive bytes [8, 12)"});
}

/// Operands may lie in each other's holes.
TEST(DataCheck, InterleavedOperandsDoNotOverlap) {
  ScheduleBuilder builder;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_BYTE, 0, 2, &type);
  MPI_Type_commit(&type);
  const auto reduction = std::make_shared<const Reduction>(byte_sum().op, type, 3, flatten(type));
  MPI_Type_free(&type);
  builder.set_reduction(reduction);
  const std::vector own{builder.block(Space::send, 0, reduction->layout())};
  const std::vector even{builder.block(Space::recv, 0, reduction->layout())};
  const std::vector odd{builder.block(Space::recv, 1, reduction->layout())};
  builder.copy(own, even);
  builder.copy(own, odd);
  builder.reduce(even[0], odd[0]);
  CollectiveCase made{.name = "interleaved",
                      .schedules = {std::make_shared<const Schedule>(std::move(builder).build())},
                      .definition = {},
                      .send_bytes = {5},
                      .recv_bytes = {6},
                      .op = &byte_sum()};
  for (const std::int64_t place : {0, 2, 4}) {
    made.definition.push_back({0, place, 0, place, 1});
    made.combinations.push_back({0, place + 1, 1, {{0, place}, {0, place}}});
  }
  EXPECT_EQ(checked(made), "");
  EXPECT_EQ(simulate({&made, 1}, 1, 2), "");
  change(made, [](ScheduleParts& parts) { parts.tasks.back().source_offset = 3; });
  expect_finding(made, Flaw::race, {"reads and writes receive bytes [3, 4)"});
}

TEST(DataCheck, WhatIsNoReduce) {
  expect_finding([](ScheduleParts& parts) { parts.reductions.clear(); }, Flaw::malformed,
                 {"reduce (task 3", "no reduction"});
  expect_finding([](ScheduleParts& parts) { last_reduce(parts).part_count = 2; }, Flaw::malformed,
                 {"pairs of operands"});
  expect_finding([](ScheduleParts& parts) { last_reduce(parts).bytes = 8; }, Flaw::malformed,
                 {"says that it moves 8 bytes but moves 7"});
  expect_finding([](ScheduleParts& parts) { last_reduce(parts).target_space = Space::send; }, Flaw::malformed,
                 {"writes send bytes"});
  expect_finding([](ScheduleParts& parts) { last_reduce(parts).source_offset = -1; }, Flaw::malformed,
                 {"reduce (task 6", "scratch bytes [-1, 6)"});
}

TEST(DataCheck, ADefinitionOfNothing) {
  CollectiveCase collective = three_of_four();
  collective.combinations.front().sources.clear();
  expect_finding(collective, Flaw::malformed, {"combination of nothing"});
}

TEST(DataCheck, ACombinationOfOneIsAPlacement) {
  CollectiveCase one = ring_reduction({.ranks = 3, .blocks = 1}, byte_sum());
  EXPECT_EQ(checked(one), "");
  one.combinations.clear();
  for (std::int32_t rank = 0; rank < 3; ++rank) one.definition.push_back({rank, 5, rank, 5, 7});
  EXPECT_EQ(checked(one), "");
}

}  // namespace
}  // namespace rondo::internal::data_check_test
