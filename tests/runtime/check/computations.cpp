// What the checker says of compute tasks: they touch what they declare, and what they write is like nothing else.
#include <gtest/gtest.h>

#include "runtime/check/schedule_checker.hpp"
#include "runtime/schedule/computation.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::computations_test {
namespace {

using Ids = std::vector<BlockId>;
using Change = std::function<void(ScheduleParts&)>;

/// One rank: a copy, a function that reads it, one that updates what that wrote, a copy of the result.
ScheduleParts chain() {
  const ComputeFunction nothing = [](const ComputeBlocks&) {};
  ScheduleBuilder builder;
  const BlockId own = builder.block(Space::send, 0, 8);
  const BlockId copied = builder.transit(8);
  const BlockId made = builder.transit(8);
  builder.copy(Ids{own}, Ids{copied});
  builder.compute(Ids{copied, own}, Ids{made}, nothing, "make");
  builder.compute(Ids{made}, Ids{made}, nothing, "update");
  builder.copy(Ids{made}, Ids{builder.block(Space::recv, 0, 8)});
  return std::move(builder).build().parts();
}

std::optional<Finding> found(const Change& how, std::span<const Placement> placements = {}, bool defined = false) {
  ScheduleParts parts = chain();
  how(parts);
  const Schedule schedule(std::move(parts));
  const Schedule* const all[] = {&schedule};
  return defined ? check_schedules(all, placements) : check_without_definition(all);
}

void expect_finding(Flaw flaw, const std::vector<std::string>& words, const Change& how) {
  const auto finding = found(how);
  ASSERT_TRUE(finding) << name(flaw);
  EXPECT_EQ(std::string(name(finding->flaw)), name(flaw)) << finding->story;
  for (const std::string& word : words) EXPECT_NE(finding->story.find(word), std::string::npos) << finding->story;
}

void change_first(ScheduleParts& parts, const std::function<void(Computation&)>& how) {
  Computation changed = *parts.computations.front();
  how(changed);
  parts.computations.front() = std::make_shared<const Computation>(std::move(changed));
}

void drop_edge(ScheduleParts& parts, TaskId from, TaskId to) { std::erase(parts.edges, std::pair(from, to)); }

TEST(Computations, AreRightWhereTheyWaitForEachOther) {
  EXPECT_FALSE(found([](ScheduleParts&) {}));
}

TEST(Computations, RaceWhereTheyDoNot) {
  expect_finding(Flaw::race, {"copy (task 0", "compute \"make\" (task 1", " reads "},
                 [](ScheduleParts& parts) { drop_edge(parts, 0, 1); });
  expect_finding(Flaw::race, {"compute \"make\" (task 1", "compute \"update\" (task 2"},
                 [](ScheduleParts& parts) { drop_edge(parts, 1, 2); });
  expect_finding(Flaw::race, {" writes ", "copy (task 3"}, [](ScheduleParts& parts) { drop_edge(parts, 2, 3); });
}

TEST(Computations, ReadWhatWasWritten) {
  expect_finding(Flaw::unwritten, {"compute \"make\" (task 1", "scratch bytes [8, 12)"},
                 [](ScheduleParts& parts) { change_first(parts, [](Computation& it) { it.blocks[0].offset += 4; }); });
}

TEST(Computations, HaveBlocksThatThereAre) {
  const auto expect_malformed = [](const char* words, const std::function<void(Computation&)>& how) {
    expect_finding(Flaw::malformed, {words}, [&](ScheduleParts& parts) { change_first(parts, how); });
  };
  expect_malformed("rank 0, compute task 1 has blocks that do not exist", [](Computation& it) { it.reads = 4; });
  expect_malformed("blocks that do not exist", [](Computation& it) { it.blocks[1].space = 3; });
  expect_malformed("blocks that do not exist", [](Computation& it) { it.blocks[1].layout = 0; });
  expect_malformed("which belong to the user", [](Computation& it) { it.blocks[2].space = 0; });
  expect_malformed("says that it moves 8 bytes but moves 4", [](Computation& it) { it.blocks[2].bytes = 4; });
  expect_malformed("of 72", [](Computation& it) { it.blocks[2].offset = 1000; });
  expect_finding(Flaw::malformed, {"rank 0, compute task 2 has nothing to run"},
                 [](ScheduleParts& parts) { parts.computations.pop_back(); });
}

/// Even where nothing but a function lies between.
TEST(Computations, MakeWhatNoDefinitionKnows) {
  const Placement line{0, 0, 0, 0, 8};
  const auto finding = found([](ScheduleParts&) {}, {&line, 1}, true);
  ASSERT_TRUE(finding);
  EXPECT_EQ(std::string(name(finding->flaw)), name(Flaw::wrong_data)) << finding->story;
}

}  // namespace
}  // namespace rondo::internal::computations_test
