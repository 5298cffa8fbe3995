#include "runtime/check/schedule_checker.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/halo_case.hpp"
#include "tests/support/cases/ring_reduction.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/test_scale.hpp"

#include <cstdio>
#include <functional>

namespace rondo::internal::schedule_checker_test {
namespace {

/// Two ranks that exchange 8 bytes through scratch memory: copy, send, receive, copy.
CollectiveCase swap_of_two() {
  CollectiveCase made{"swap", {}, {}, {8, 8}, {8, 8}};
  for (int rank = 0; rank < 2; ++rank) {
    ScheduleBuilder builder;
    const std::vector send{builder.block(Space::send, 0, 8)};
    const std::vector recv{builder.block(Space::recv, 0, 8)};
    const std::vector outgoing{builder.transit(8)};
    const std::vector incoming{builder.transit(8)};
    builder.copy(send, outgoing);
    builder.begin_phase();
    builder.exchange(1 - rank, 1 - rank, 0, outgoing, incoming);
    builder.begin_phase();
    builder.copy(incoming, recv);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    made.definition.push_back({rank, 0, 1 - rank, 0, 8});
  }
  return made;
}

using Change = std::function<void(ScheduleParts&)>;

void change(CollectiveCase& collective, std::size_t rank, const Change& how) {
  ScheduleParts parts = collective.schedules[rank]->parts();
  how(parts);
  collective.schedules[rank] = std::make_shared<const Schedule>(std::move(parts));
}

Task& task_of_kind(ScheduleParts& parts, TaskKind kind) { return *std::ranges::find(parts.tasks, kind, &Task::kind); }

/// After `how` was done to rank 0's schedule the checker finds `flaw`, and its story has all of `words`.
void expect_finding(const Change& how, Flaw flaw, const std::vector<std::string>& words) {
  CollectiveCase collective = swap_of_two();
  change(collective, 0, how);
  const auto finding = check(collective);
  ASSERT_TRUE(finding.has_value()) << name(flaw);
  EXPECT_EQ(name(finding->flaw), std::string(name(flaw))) << finding->story;
  for (const std::string& word : words) {
    EXPECT_NE(finding->story.find(word), std::string::npos) << "\"" << word << "\" is not in: " << finding->story;
  }
}

TEST(ScheduleChecker, FindsNothingWrongWithWhatIsRight) {
  EXPECT_EQ(checked(swap_of_two()), "");
  EXPECT_EQ(simulate(std::vector{swap_of_two()}, 1, 3), "");
}

std::optional<Finding> check_any_data(const CollectiveCase& collective) {
  std::vector<const Schedule*> schedules;
  for (const auto& schedule : collective.schedules) schedules.push_back(schedule.get());
  return check_without_definition(schedules);
}

TEST(ScheduleChecker, WithoutADefinitionAnyDataIsRight) {
  EXPECT_FALSE(check_any_data(swap_of_two()).has_value());
  CollectiveCase elsewhere = swap_of_two();
  change(elsewhere, 0, [](ScheduleParts& parts) {
    parts.tasks.front().source_offset = 40;
    parts.tasks.back().target_offset = 80;
  });
  EXPECT_TRUE(check(elsewhere).has_value());
  EXPECT_FALSE(check_any_data(elsewhere).has_value());
}

TEST(ScheduleChecker, WithoutADefinitionAllElseIsFound) {
  const auto expect_flaw = [](const Change& how, Flaw flaw) {
    CollectiveCase collective = swap_of_two();
    change(collective, 0, how);
    const auto finding = check_any_data(collective);
    ASSERT_TRUE(finding.has_value()) << name(flaw);
    EXPECT_EQ(name(finding->flaw), std::string(name(flaw))) << finding->story;
  };
  expect_flaw([](ScheduleParts& parts) { parts.tasks.front().target_offset = 4; }, Flaw::unwritten);
  expect_flaw([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::send).bytes = 4; }, Flaw::size);
  expect_flaw([](ScheduleParts& parts) { std::erase(parts.edges, std::pair<TaskId, TaskId>{0, 1}); }, Flaw::race);
}

TEST(ScheduleChecker, WritesToTheSendBuffer) {
  expect_finding([](ScheduleParts& parts) { parts.tasks.back().target_space = Space::send; }, Flaw::malformed,
                 {"rank 0", "copy (task 3", "send bytes [0, 8)"});
}

TEST(ScheduleChecker, ScratchThatIsNotThere) {
  expect_finding([](ScheduleParts& parts) { parts.scratch_bytes = 4; }, Flaw::malformed, {"rank 0", "of 4"});
}

TEST(ScheduleChecker, APeerThatIsNotThere) {
  expect_finding([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::send).peer = 2; }, Flaw::malformed,
                 {"send to rank 2", "there are only 2 ranks"});
}

TEST(ScheduleChecker, ATagThatIsNotReserved) {
  expect_finding([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::send).tag = 1; }, Flaw::malformed, {"tag 1"});
}

TEST(ScheduleChecker, TagsThatAreReservedHereAndNotThere) {
  expect_finding([](ScheduleParts& parts) { parts.tags = 7; }, Flaw::disagreement, {"rank 0", "7", "rank 1"});
}

TEST(ScheduleChecker, ASendWithoutItsReceive) {
  expect_finding([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::send).peer = 0; }, Flaw::unmatched,
                 {"rank 0, send to rank 0", "8 bytes", "no receive"});
}

TEST(ScheduleChecker, AReceiveWithoutItsSend) {
  expect_finding([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::receive).peer = 0; }, Flaw::unmatched,
                 {"receive from rank 0"});
}

TEST(ScheduleChecker, AMessageOfTwoSizes) {
  expect_finding([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::send).bytes = 4; }, Flaw::size,
                 {"4 bytes", "8 bytes"});
}

TEST(ScheduleChecker, TwoSendsInNoFixedOrder) {
  CollectiveCase collective{"two", {}, {}, {16, 0}, {0, 16}};
  for (int rank = 0; rank < 2; ++rank) {
    ScheduleBuilder builder;
    for (int i = 0; i < 2; ++i) {
      if (rank == 0) {
        // Each send waits for a copy of its own, and which copy is run first is nobody's promise.
        const std::vector block{builder.block(Space::send, i * 8, 8)};
        const std::vector outgoing{builder.transit(8)};
        builder.copy(block, outgoing);
        builder.send(1, 0, outgoing);
      } else {
        builder.receive(0, 0, std::vector{builder.block(Space::recv, i * 8, 8)});
      }
    }
    collective.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    collective.definition.push_back({1, rank * 8, 0, rank * 8, 8});
  }
  const auto finding = check(collective);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->flaw, Flaw::message_order) << finding->story;
}

TEST(ScheduleChecker, TwoReceivesInNoFixedOrder) {
  CollectiveCase collective{"two", {}, {}, {16, 8}, {0, 32}};
  for (int rank = 0; rank < 2; ++rank) {
    ScheduleBuilder builder;
    for (int i = 0; i < 2; ++i) {
      if (rank == 0) {
        builder.send(1, 0, std::vector{builder.block(Space::send, i * 8, 8)});
      } else {
        builder.copy(std::vector{builder.block(Space::send, 0, 8)},
                     std::vector{builder.block(Space::recv, 16 + i * 8, 8)});
        builder.receive(0, 0, std::vector{builder.block(Space::recv, i * 8, 8)});
      }
    }
    collective.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    collective.definition.push_back({1, rank * 8, 0, rank * 8, 8});
    collective.definition.push_back({1, 16 + rank * 8, 1, 0, 8});
  }
  EXPECT_EQ(checked(collective), "");
  // Each receive waits for a copy of its own.
  change(collective, 1, [](ScheduleParts& parts) { parts.edges = {{0, 1}, {2, 3}}; });
  const auto finding = check(collective);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->flaw, Flaw::message_order) << finding->story;
}

/// Rank 1 writes a block, then receives, and reads the block after a second receive. Rank 0 sends its second message
/// when the first has ended, which MPI allows it to do before rank 1 begins to receive: no order follows from that.
TEST(ScheduleChecker, TheEndOfASendSaysNothingOfItsReceive) {
  CollectiveCase collective{"early", {}, {}, {16, 8}, {0, 24}};
  ScheduleBuilder sender;
  for (int i = 0; i < 2; ++i)
    sender.send(1, static_cast<std::uint32_t>(i), std::vector{sender.block(Space::send, i * 8, 8)});
  ScheduleBuilder receiver;
  const std::vector through{receiver.transit(8)};
  receiver.copy(std::vector{receiver.block(Space::send, 0, 8)}, through);
  for (int i = 0; i < 2; ++i)
    receiver.receive(0, static_cast<std::uint32_t>(i), std::vector{receiver.block(Space::recv, i * 8, 8)});
  receiver.copy(through, std::vector{receiver.block(Space::recv, 16, 8)});
  collective.schedules.push_back(std::make_shared<const Schedule>(std::move(sender).build()));
  collective.schedules.push_back(std::make_shared<const Schedule>(std::move(receiver).build()));
  collective.definition = {{1, 0, 0, 0, 8}, {1, 8, 0, 8, 8}, {1, 16, 1, 0, 8}};
  EXPECT_EQ(checked(collective), "");
  change(collective, 0, [](ScheduleParts& parts) { parts.edges = {{0, 1}}; });
  change(collective, 1, [](ScheduleParts& parts) { parts.edges = {{0, 1}, {2, 3}}; });
  const auto finding = check(collective);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->flaw, Flaw::race) << finding->story;
}

TEST(ScheduleChecker, ADeadlock) {
  // Both send before they receive: all is well only as long as sends are buffered.
  CollectiveCase collective = swap_of_two();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    change(collective, rank, [](ScheduleParts& parts) { parts.edges.emplace_back(1, 2); });
  }
  const auto finding = check(collective);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->flaw, Flaw::deadlock) << finding->story;
  for (const char* word : {"rank 0, send to rank 1", "rank 1, send to rank 0", "waits for"}) {
    EXPECT_NE(finding->story.find(word), std::string::npos) << finding->story;
  }
}

TEST(ScheduleChecker, WhatIsNoTask) {
  expect_finding([](ScheduleParts& parts) { parts.tasks.back().bytes = -8; }, Flaw::malformed, {"rank 0, task 3"});
  expect_finding([](ScheduleParts& parts) { parts.tasks.back().part_count = 3; }, Flaw::malformed, {"runs"});
  expect_finding([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::send).first_part = 7; }, Flaw::malformed,
                 {"layout"});
  expect_finding(
      [](ScheduleParts& parts) {
        Task& send = task_of_kind(parts, TaskKind::send);
        send.bytes = std::int64_t{1} << 32;
        parts.scratch_bytes = send.bytes * 2;
      },
      Flaw::malformed, {"count"});
}

TEST(ScheduleChecker, SendBytesOfNoBlock) {
  expect_finding([](ScheduleParts& parts) { parts.tasks.front().source_offset = -4; }, Flaw::malformed,
                 {"rank 0, copy", "send bytes [-4, 0)", "no block"});
}

TEST(ScheduleChecker, ARace) {
  const auto drop_edge = [](TaskId from) {
    return [from](ScheduleParts& parts) {
      std::erase_if(parts.edges, [&](const auto& edge) { return edge.first == from; });
    };
  };
  expect_finding(drop_edge(0), Flaw::race, {"rank 0, copy", "send to rank 1", "scratch bytes [0, 8)"});
  expect_finding(drop_edge(2), Flaw::race, {"receive from rank 1", "scratch bytes [64, 72)"});
}

TEST(ScheduleChecker, ACopyOntoItself) {
  expect_finding(
      [](ScheduleParts& parts) {
        parts.tasks.back().target_space = Space::scratch;
        parts.tasks.back().target_offset = parts.tasks.back().source_offset + 4;
        parts.scratch_bytes += 8;
      },
      Flaw::race, {"twice"});
}

TEST(ScheduleChecker, BytesThatNothingWrote) {
  expect_finding([](ScheduleParts& parts) { task_of_kind(parts, TaskKind::copy).target_offset = 4; }, Flaw::unwritten,
                 {"send to rank 1", "scratch bytes [0, 4)"});
}

TEST(ScheduleChecker, WrongData) {
  expect_finding(
      [](ScheduleParts& parts) {
        parts.tasks.back().source_offset = 0;
        parts.edges.emplace_back(0, 3);
      },
      Flaw::wrong_data,
      {"rank 0's receive bytes [0, 8)", "rank 0's send bytes", "not as rank 1's send bytes [0, 8)", "task 3"});
  expect_finding([](ScheduleParts& parts) { parts.tasks.back().target_offset = 4; }, Flaw::wrong_data,
                 {"receive bytes [0, 4)", "nothing has written"});
}

TEST(ScheduleChecker, ReceiveBytesOfNoBlock) {
  expect_finding(
      [](ScheduleParts& parts) {
        parts.tasks.push_back(parts.tasks.back());
        parts.tasks.back().target_offset = 8;
        parts.edges.emplace_back(2, 4);
      },
      Flaw::wrong_data, {"task 4", "receive bytes [8, 16)", "belong to no block"});
}

/// Three ranks in a row, each with eight bytes of its own between eight from the left and eight from the right; what
/// comes from the left is passed on, to the left of all that.
CollectiveCase row_in_place() {
  static const Layout eight = Layout::contiguous(8);
  static const Layout sixteen = Layout::contiguous(16);
  CollectiveCase made{"row in place", {}, {}, {0, 0, 0}, {32, 32, 32}};
  for (int rank = 0; rank < 3; ++rank) {
    ScheduleBuilder builder;
    builder.set_in_place();
    const int left = (rank + 2) % 3;
    const int right = (rank + 1) % 3;
    const std::vector from_left{builder.block(Space::recv, 8, 8)};
    const std::vector from_right{builder.block(Space::recv, 24, 8)};
    const std::vector from_far{builder.block(Space::recv, 0, 8)};
    const std::vector own{builder.view(16, eight, {})};
    builder.exchange(right, left, 0, own, from_left);
    builder.exchange(left, right, 1, own, from_right);
    builder.exchange(right, left, 2, std::vector{builder.view(8, eight, from_left)}, from_far);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    made.definition.push_back({rank, 8, left, 16, 8});
    made.definition.push_back({rank, 24, right, 16, 8});
    made.definition.push_back({rank, 0, right, 16, 8});  // two to the left of three
  }
  return made;
}

TEST(ScheduleChecker, InPlace) {
  EXPECT_EQ(checked(row_in_place()), "");
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(simulate(std::vector{row_in_place()}, seed, 3), "");
  const auto expect_flaw = [](const Change& how, Flaw flaw, const std::string& words) {
    CollectiveCase collective = row_in_place();
    change(collective, 0, how);
    const auto finding = check(collective);
    ASSERT_TRUE(finding.has_value()) << words;
    EXPECT_EQ(name(finding->flaw), std::string(name(flaw))) << finding->story;
    EXPECT_NE(finding->story.find(words), std::string::npos) << finding->story;
  };
  expect_flaw([](ScheduleParts& parts) { parts.edges.clear(); }, Flaw::race, "receive bytes [8, 16)");
  expect_flaw([](ScheduleParts& parts) { parts.tasks.front().source_offset = 20; }, Flaw::race, "[24, 28)");
  // What lies there at the start is nobody's to send.
  expect_flaw([](ScheduleParts& parts) { parts.tasks.front().source_offset = -8; }, Flaw::unwritten, "[-8, 0)");
  expect_flaw([](ScheduleParts& parts) { parts.tasks.front().source_space = Space::send; }, Flaw::malformed,
              "is in place and has no send buffer");
  // What is the rank's own is not to be written.
  expect_flaw(
      [](ScheduleParts& parts) {
        parts.tasks.back().target_offset = 16;
        parts.edges.emplace_back(0, 5);
        parts.edges.emplace_back(2, 5);
      },
      Flaw::wrong_data, "nothing has written");
}

std::vector<CollectiveCase> cases_to_change() {
  std::vector<CollectiveCase> cases;
  const auto eight_bytes = [](int, int) { return std::int64_t{8}; };
  const auto add = [&](AlltoallCase given) {
    for (const char* algorithm : {"direct", "coalesced", "combining"}) {
      for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
        for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
          given.ordering = ordering;
          given.form = form;
          cases.push_back(alltoall_case(given, alltoall_way(algorithm)));
        }
      }
    }
  };
  add({.sizes = {5}, .neighborhood = moore(1, 2), .bytes = eight_bytes});
  add({.sizes = {3, 2}, .neighborhood = moore(2, 1), .bytes = eight_bytes});
  add({.sizes = {2, 2, 2}, .neighborhood = box(3, 3, -1), .bytes = eight_bytes});
  add({.sizes = {4, 2}, .neighborhood = box(2, 4, -1), .bytes = [](int, int i) { return std::int64_t{i % 3 * 5}; }});
  for (const RingReduction::Way way : {RingReduction::Way::direct, RingReduction::Way::doubling}) {
    for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
      for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
        for (const bool holes : {false, true}) {
          cases.push_back(ring_reduction(
              {.ranks = 5, .blocks = 8, .way = way, .holes = holes, .ordering = ordering, .form = form}, byte_sum()));
        }
      }
    }
  }
  for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
    for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
      const HaloCase given{.sizes = {3, 2},
                           .periods = {1, 0},
                           .low = {2, 1},
                           .high = {1, 2},
                           .stencil = Stencil::star,
                           .ordering = ordering,
                           .form = form};
      const HaloArrays arrays(given);
      for (const halo::Expansion& expansion : halo_expansions(arrays.grid(), arrays.typical()))
        cases.push_back(halo_case(given, arrays, arrays.definition(), expansion));
    }
  }
  cases.push_back(ring_reduction({.ranks = 3, .blocks = 8, .window = 2}, byte_sum()));
  return cases;
}

/// Takes each dependency of a set of schedules away in turn, with a RONDO_TEST_SCALE below 1 each third. Where the
/// checker then still finds nothing wrong, the dependency was redundant, and no adversary finds anything either.
TEST(ScheduleChecker, FindsEveryDependencyThatMatters) {
  std::uint64_t number = 0;
  std::size_t needed = 0;
  std::size_t redundant = 0;
  std::size_t redundant_between_phases = 0;
  std::size_t seen_by_adversary = 0;
  for (const CollectiveCase& original : cases_to_change()) {
    for (std::size_t rank = 0; rank < original.schedules.size(); rank += 3) {
      const std::size_t edges = original.schedules[rank]->parts().edges.size();
      for (std::size_t edge = 0; edge < edges; ++edge) {
        if (!taken(number++, 3)) continue;
        CollectiveCase changed = original;
        change(changed, rank, [&](ScheduleParts& parts) {
          parts.edges.erase(parts.edges.begin() + static_cast<std::ptrdiff_t>(edge));
        });
        const bool found = check(changed).has_value();
        ++(found ? needed : redundant);
        const bool phases = original.name.find("phases") != std::string::npos;
        redundant_between_phases += !found && phases ? 1 : 0;
        std::string wrong;
        for (std::uint64_t seed = 0; seed < 20 && wrong.empty(); ++seed) wrong = simulate({&changed, 1}, seed, 1);
        if (found)
          seen_by_adversary += wrong.empty() ? 0 : 1;
        else
          ASSERT_EQ(wrong, "") << "without edge " << edge << " of rank " << rank;
      }
    }
  }
  std::printf("%zu dependencies: %zu matter (%zu of them the adversary of 20 seeds found too), %zu are redundant, ",
              needed + redundant, needed, seen_by_adversary, redundant);
  std::printf("%zu of these in phase-synchronous schedules\n", redundant_between_phases);
  EXPECT_GT(needed, 0U);
  EXPECT_GT(seen_by_adversary, 0U);
}

/// Other slips of a lowering, at every task of every schedule: each must be found.
TEST(ScheduleChecker, FindsEveryMisdirectedTask) {
  std::size_t slips = 0;
  for (const CollectiveCase& original : cases_to_change()) {
    const auto tasks = static_cast<TaskId>(original.schedules[0]->tasks().size());
    for (TaskId id = 0; id < tasks; ++id) {
      const Task& task = original.schedules[0]->tasks()[id];
      std::vector<Change> changes;
      const auto add = [&](auto how) { changes.emplace_back([=](ScheduleParts& parts) { how(parts.tasks[id]); }); };
      if (is_message(task)) {
        add([&](Task& changed) { changed.peer = (changed.peer + 1) % original.ranks(); });
        add([](Task& changed) { changed.tag = (changed.tag + 1) % 8; });
        add([](Task& changed) { changed.bytes -= 1; });
      }
      if ((task.kind == TaskKind::copy || task.kind == TaskKind::reduce) && task.part_count == 0) {
        add([](Task& changed) { changed.source_offset += 1; });
        add([](Task& changed) { changed.target_offset += 1; });
      }
      for (const Change& how : changes) {
        CollectiveCase changed = original;
        change(changed, 0, how);
        ++slips;
        EXPECT_NE(checked(changed), "") << "task " << id << " of " << original.name;
      }
    }
  }
  EXPECT_GT(slips, 100U);
}

}  // namespace
}  // namespace rondo::internal::schedule_checker_test
