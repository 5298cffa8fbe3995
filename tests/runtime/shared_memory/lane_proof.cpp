// A lane under every interleaving of its two ends, from every line of the ring on, and every value that the memory
// orders let a load see. Each of those orders is needed: with one of them weakened, the same search finds records that
// are read or written too early.
#include "runtime/shared_memory/lane.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/shared_memory/memory_model.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::lane_proof_test {
namespace {

using memory_model::at_random;
using memory_model::demand;
using memory_model::everything;
using memory_model::explore;
using memory_model::few_switches;
using memory_model::Finding;
using memory_model::Plain;
using memory_model::Search;
using memory_model::Word;

struct WeakPublish : LaneOrders {
  static constexpr std::memory_order publish = std::memory_order::relaxed;
};
struct WeakLook : LaneOrders {
  static constexpr std::memory_order look = std::memory_order::relaxed;
};
struct WeakSkip : LaneOrders {
  static constexpr std::memory_order skip = std::memory_order::relaxed;
};
struct WeakLookBehind : LaneOrders {
  static constexpr std::memory_order look_behind = std::memory_order::relaxed;
};
struct WeakGiveBack : LaneOrders {
  static constexpr std::memory_order give_back = std::memory_order::relaxed;
};
struct WeakMayFill : LaneOrders {
  static constexpr std::memory_order may_fill = std::memory_order::relaxed;
};

struct Line {
  Word state;
  Plain context;
  std::array<Plain, 1> data;
};

/// What data may look like to one who takes them for a state: a message of two lines.
constexpr std::uint64_t kLikeAState = lane_words::message({0, 77, 49, false});

struct Record {
  std::size_t lines = 1;
  bool failed = false;
};

struct Course {
  static constexpr std::size_t kMostLines = 6;
  std::size_t lines = 4;  ///< of the lane
  std::size_t begin = 0;  ///< the line where the first record begins
  std::vector<Record> records;
  bool looks_once = false;  ///< the receiver for each of them, and goes on without what is not there
  /// From this line on, and not before the first record, they go back to line 0 where they find the lane empty.
  std::size_t turn = kMostLines;
};

/// One sender, one receiver, and a lane through which so much has gone already that all of its lines hold something.
template <typename Orders>
struct Traffic : rl::test_suite<Traffic<Orders>, 2> {
  inline static Course course;

  std::array<Line, Course::kMostLines> memory;
  Word consumed;
  std::span<Line> lines{memory.data(), course.lines};
  LaneSender<Line, Orders> sender{lines, &consumed, course.turn, course.turn};
  LaneReceiver<Line, Orders> receiver{lines, &consumed};

  void before() {
    for (std::size_t line = 0; line < course.begin; ++line) {
      send(line, {});
      receive(line, {});
    }
    for (std::size_t line = 0; line < course.lines; ++line) {
      if (line != course.begin) lines[line].state.store(kLikeAState, std::memory_order::relaxed);
    }
  }
  void thread(unsigned index) {
    for (std::size_t i = 0; i < course.records.size(); ++i) {
      index == 0 ? send(100 + i, course.records[i]) : receive(100 + i, course.records[i]);
    }
  }

  [[nodiscard]] static LaneHeader header(std::uint64_t number, Record record) {
    return {number, static_cast<std::uint32_t>(2 * number), record.lines == 1 ? 48U : 112U, record.failed};
  }
  void send(std::uint64_t number, Record record) {
    const LaneHeader said = header(number, record);
    Plain* data = sender.try_reserve(said.bytes);
    while (data == nullptr) {
      memory_model::yield();
      data = sender.try_reserve(said.bytes);
    }
    if (!record.failed) {
      *data = number;
      for (Line& line : behind(data, record)) {
        line.context = number;
        line.data[0] = number;
        // Data lie over the word too. Nobody may look at it meanwhile, so this need not be a step of its own.
        rl::ctx().disable_preemption();
        line.state.store(kLikeAState, std::memory_order::relaxed);
        rl::ctx().enable_preemption();
      }
    }
    sender.publish(said);
  }
  void receive(std::uint64_t number, Record record) {
    auto found = receiver.peek();
    while (!found) {
      if (course.looks_once) return;
      memory_model::yield();
      found = receiver.peek();
    }
    demand(found->header == header(number, record), "what comes is the next record");
    if (!record.failed) {
      demand(*found->data == number, "its data");
      for (const Line& line : behind(found->data, record)) {
        demand(line.context == number && line.data[0] == number, "its data in further lines");
        rl::ctx().disable_preemption();
        demand(line.state.load(std::memory_order::relaxed) == kLikeAState, "its data where states may lie");
        rl::ctx().enable_preemption();
      }
    }
    receiver.pop();
  }
  /// The lines of a record behind its first one.
  [[nodiscard]] std::span<Line> behind(const Plain* data, Record record) {
    std::size_t first = 0;
    while (lines[first].data.data() != data) ++first;
    return lines.subspan(first + 1, record.lines - 1);
  }
};

template <typename Orders>
[[nodiscard]] Finding traffic(const Course& course, Search search) {
  Traffic<Orders>::course = course;
  return explore<Traffic<Orders>>(search);
}

[[nodiscard]] std::string text(const Course& course) {
  std::string text = std::to_string(course.lines) + " lines, from line " + std::to_string(course.begin) + ":";
  for (const Record& record : course.records) text += (record.failed ? " failed " : " ") + std::to_string(record.lines);
  return text + '\n';
}

void expect_order(const Course& course, Search search) {
  const Finding finding = traffic<LaneOrders>(course, search);
  EXPECT_TRUE(finding.nothing()) << text(course) << finding.story;
}

/// All courses of `count` records of one or two lines in a ring of `lines`, from every line on.
[[nodiscard]] std::vector<Course> courses(std::size_t lines, std::size_t count) {
  std::vector<Course> all;
  for (std::size_t begin = 0; begin < lines; ++begin) {
    for (std::size_t choice = 0; choice < std::size_t{1} << count; ++choice) {
      Course course{lines, begin, {}};
      for (std::size_t i = 0; i < count; ++i) course.records.push_back({1 + (choice >> i) % 2, false});
      all.push_back(course);
    }
  }
  return all;
}

TEST(LaneProof, OneRecordArrivesWhole) {
  for (std::size_t lines = 4; lines <= 6; ++lines) {
    for (const Course& course : courses(lines, 1)) expect_order(course, everything());
  }
}

/// All that can happen; in the first of them the second record waits until the first one is popped, in the second the
/// first one begins behind a skip.
TEST(LaneProof, TwoRecordsArriveInOrder) {
  expect_order({4, 0, {{2}, {2}}}, everything());
  expect_order({6, 5, {{2}, {1}}}, everything());
  expect_order({4, 3, {{1}, {2}}}, everything());
  expect_order({4, 1, {{1}, {1}, {1}}}, everything());
}

/// More at once is more than can be gone through: a thread that could go on stops at most three times.
TEST(LaneProof, RecordsArriveInOrderThroughFullLanesFromEveryLineOn) {
  for (const Course& course : courses(4, 3)) expect_order(course, few_switches(3));
  for (const Course& course : courses(5, 4)) expect_order(course, few_switches(2));
}

/// A record goes back to line 0 early, or does not, as the sender sees the lane empty or not.
TEST(LaneProof, RecordsThatTurnEarlyArriveInOrder) {
  expect_order({.lines = 4, .begin = 2, .records = {{1}, {1}}, .turn = 2}, few_switches(4));
  expect_order({.lines = 5, .begin = 3, .records = {{1}, {2}}, .turn = 3}, few_switches(4));
  for (Course course : courses(5, 3)) {
    course.turn = 3;
    if (course.begin <= course.turn) expect_order(course, few_switches(2));
  }
}

TEST(LaneProof, SomeRecordsAreOfFailedExecutions) {
  for (Course course : courses(4, 3)) {
    for (std::size_t failed = 0; failed < 3; ++failed) {
      course.records[failed].failed = true;
      expect_order(course, few_switches(2));
    }
  }
}

/// Longer courses, at random: here a load may see the value before the one before the newest.
TEST(LaneProof, LongCourses) {
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    Course course{4 + random() % 3, 0, {}};
    course.begin = random() % course.lines;
    if (i % 2 == 0) course.turn = std::max<std::size_t>(3, course.begin);
    for (int record = 0; record < 8; ++record) course.records.push_back({1 + random() % 2, random() % 4 == 0});
    expect_order(course, at_random(5000));
  }
}

TEST(LaneProof, ARecordMustComeBeforeTheNewsOfIt) {
  const Course course{4, 0, {{1}}};
  EXPECT_TRUE(traffic<WeakPublish>(course, everything()).wrong_data());
  EXPECT_TRUE(traffic<WeakLook>(course, everything()).wrong_data());
}

/// That of a failed record too, which has no data.
TEST(LaneProof, AHeaderMustComeBeforeTheNewsOfIt) {
  const Course course{4, 0, {{1, true}}};
  EXPECT_TRUE(traffic<WeakPublish>(course, everything()).wrong_data());
  EXPECT_TRUE(traffic<WeakLook>(course, everything()).wrong_data());
}

/// The first look finds nothing but the skip here, the second nothing but the record: none covers for another.
TEST(LaneProof, TheLineBehindASkipMustBeClearBeforeTheNewsOfTheSkip) {
  const Course course{4, 3, {{2}}, true};
  expect_order(course, everything());
  EXPECT_TRUE(traffic<WeakSkip>(course, everything()).wrong_data());
  EXPECT_TRUE(traffic<WeakLook>(course, everything()).wrong_data());
  EXPECT_TRUE(traffic<WeakLookBehind>(course, everything()).wrong_data());
  const Course without_skip{4, 2, {{2}}, true};
  EXPECT_TRUE(traffic<WeakSkip>(without_skip, everything()).nothing());
  EXPECT_TRUE(traffic<WeakLookBehind>(without_skip, everything()).nothing());
}

TEST(LaneProof, ARecordMustBeReadBeforeThePositionSaysSo) {
  const Course course{4, 0, {{2}, {2}, {2}}};
  EXPECT_TRUE(traffic<WeakGiveBack>(course, few_switches(3)).wrong_data());
  EXPECT_TRUE(traffic<WeakMayFill>(course, few_switches(3)).wrong_data());
  const Course with_room{4, 0, {{1}, {1}, {1}}};
  EXPECT_TRUE(traffic<WeakGiveBack>(with_room, few_switches(3)).nothing()) << "they need no credit";
}

}  // namespace
}  // namespace rondo::internal::lane_proof_test
