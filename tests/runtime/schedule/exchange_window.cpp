// At most so many exchanges in flight: what the builder makes of it, and that it cannot hang.
#include "runtime/schedule/exchange_window.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/cases/ring_alltoall.hpp"
#include "tests/support/cases/ring_reduction.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/expect_complaint.hpp"

#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::exchange_window_test {
namespace {

/// `count` exchanges of a block each; task 2e is the send of exchange e and task 2e + 1 its receive.
Schedule exchanges(std::uint32_t window, int count) {
  ScheduleBuilder builder;
  if (window > 0) builder.set_window(window);
  for (int e = 0; e < count; ++e) {
    const BlockId out = builder.block(Space::send, 8 * e, 8);
    const BlockId in = builder.block(Space::recv, 8 * e, 8);
    builder.exchange(1, 2, static_cast<std::uint32_t>(e), {&out, 1}, {&in, 1});
  }
  return std::move(builder).build();
}

TEST(ExchangeWindow, AnExchangeWaitsForBothHalvesOfTheOneAWindowBefore) {
  EXPECT_TRUE(edges_of(exchanges(0, 4)).empty());
  EXPECT_TRUE(edges_of(exchanges(4, 4)).empty());
  EXPECT_TRUE(edges_of(exchanges(4'000'000'000, 4)).empty());
  EXPECT_EQ(edges_of(exchanges(3, 4)), (Edges{{0, 6}, {0, 7}, {1, 6}, {1, 7}}));
  EXPECT_EQ(edges_of(exchanges(1, 3)), (Edges{{0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 4}, {2, 5}, {3, 4}, {3, 5}}));
  EXPECT_EQ(exchanges(1, 3).tasks().back().round, 2U);
}

/// A half that is missing is over at once; an exchange without both ends when those before it do.
TEST(ExchangeWindow, HalvesMayBeMissing) {
  ScheduleBuilder builder;
  builder.set_window(1);
  const auto send = [&](int i) {
    builder.send(1, static_cast<std::uint32_t>(i), std::vector{builder.block(Space::send, 8 * i, 8)});
  };
  const auto receive = [&](int i) {
    builder.receive(1, static_cast<std::uint32_t>(i), std::vector{builder.block(Space::recv, 8 * i, 8)});
  };
  builder.begin_exchange();
  builder.begin_exchange();
  send(0);  // task 0
  builder.begin_exchange();
  receive(1);  // task 1
  send(1);     // task 2
  builder.begin_exchange();
  builder.begin_exchange();
  builder.begin_exchange();
  receive(2);  // task 3
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(edges_of(schedule), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(schedule.tasks()[0].round, 1U);
  EXPECT_EQ(schedule.tasks()[1].round, 2U);
  EXPECT_EQ(schedule.tasks()[2].round, 2U);
  EXPECT_EQ(schedule.tasks()[3].round, 5U);
}

TEST(ExchangeWindow, CopiesAreNotWaitedFor) {
  ScheduleBuilder builder;
  builder.set_window(1);
  for (int e = 0; e < 2; ++e) {
    const std::vector out{builder.block(Space::send, 32 * e, 8), builder.block(Space::send, 32 * e + 16, 8)};
    const std::vector in{builder.block(Space::recv, 32 * e, 8), builder.block(Space::recv, 32 * e + 16, 8)};
    builder.exchange(1, 1, static_cast<std::uint32_t>(e), out, in);
  }
  // Each is pack, send, receive, unpack.
  EXPECT_EQ(edges_of(std::move(builder).build()),
            (Edges{{0, 1}, {2, 3}, {1, 5}, {2, 5}, {4, 5}, {1, 6}, {2, 6}, {6, 7}}));
}

TEST(ExchangeWindow, AnExchangeIsARoundWithoutAWindowToo) {
  ScheduleBuilder builder;
  const std::vector from{builder.block(Space::send, 0, 8)};
  const std::vector through{builder.transit(8)};
  const std::vector to{builder.block(Space::recv, 0, 8)};
  builder.begin_exchange();
  builder.send(1, 0, from);
  builder.receive(1, 0, through);
  builder.copy(through, to);
  builder.begin_exchange();
  builder.send(1, 1, from);
  builder.begin_phase();
  builder.send(1, 2, from);
  builder.send(1, 3, from);
  const Schedule schedule = std::move(builder).build();
  std::vector<std::uint32_t> rounds;
  for (const Task& task : schedule.tasks()) rounds.push_back(task.round);
  EXPECT_EQ(rounds, (std::vector<std::uint32_t>{0, 0, 0, 1, 0, 1}));
}

TEST(ExchangeWindow, BuilderSaysWhatIsWrong) {
  const auto send = [](ScheduleBuilder& it) { it.send(1, 0, std::vector{it.block(Space::send, 0, 8)}); };
  expect_complaint("a window of 0 exchanges", [](ScheduleBuilder& it) { it.set_window(0); });
  expect_complaint("a window beside another limit", [](ScheduleBuilder& it) {
    it.set_window(2);
    it.set_window(2);
  });
  expect_complaint("a window too late", [&](ScheduleBuilder& it) {
    send(it);
    it.set_window(2);
  });
  expect_complaint("a message outside an exchange", [&](ScheduleBuilder& it) {
    it.set_window(2);
    send(it);
  });
  expect_complaint("a message outside an exchange", [&](ScheduleBuilder& it) {
    it.set_window(2);
    it.begin_exchange();
    it.begin_phase();
    send(it);
  });
}

TEST(ExchangeWindow, NoWindowHangsAndEachIsKept) {
  for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
    for (const bool halves : {false, true}) {
      for (int ranks = 1; ranks < 7; ++ranks) {
        constexpr int kBlocks = 8;
        for (std::uint32_t window = 1; window <= kBlocks; ++window) {
          const CollectiveCase made =
              ring_alltoall({.ranks = ranks, .blocks = kBlocks, .halves = halves, .window = window, .form = form});
          ASSERT_EQ(checked(made), "");
          for (std::uint64_t seed = 0; seed < 3; ++seed) ASSERT_EQ(simulate({&made, 1}, seed, 2), "");
          for (const auto& schedule : made.schedules) {
            const auto messages = schedule->messages();
            for (const TaskId one : messages) {
              for (const TaskId other : messages) {
                // The tag is the exchange's number. Those that share a place in the window are in flight one after
                // the other, so no more are than there are places.
                const std::uint32_t before = schedule->tasks()[one].tag;
                const std::uint32_t after = schedule->tasks()[other].tag;
                if (before >= after || before % window != after % window) continue;
                ASSERT_TRUE(ordered(*schedule, one, other)) << made.name << ", tasks " << one << " and " << other;
              }
            }
          }
        }
      }
    }
  }
}

/// What would hang if ranks went through their exchanges in different orders: the checker says so.
TEST(ExchangeWindow, DifferentOrdersAreFoundOut) {
  CollectiveCase made{"two orders", {}, {}, {16, 16}, {16, 16}};
  for (int rank = 0; rank < 2; ++rank) {
    ScheduleBuilder builder;
    builder.set_window(1);
    for (int i = 0; i < 2; ++i) {
      const int e = rank == 0 ? i : 1 - i;
      const BlockId out = builder.block(Space::send, 8 * e, 8);
      const BlockId in = builder.block(Space::recv, 8 * e, 8);
      builder.exchange(1 - rank, 1 - rank, static_cast<std::uint32_t>(e), {&out, 1}, {&in, 1});
      made.definition.push_back({rank, 8 * e, 1 - rank, 8 * e, 8});
    }
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  const auto finding = check(made);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->flaw, Flaw::deadlock) << finding->story;
}

TEST(ExchangeWindow, ReductionsKeepThemToo) {
  for (int ranks = 1; ranks < 7; ++ranks) {
    for (std::uint32_t window = 1; window < 8; ++window) {
      const CollectiveCase made =
          ring_reduction({.ranks = ranks, .blocks = 7, .holes = true, .window = window}, byte_fold());
      ASSERT_EQ(checked(made), "");
      ASSERT_EQ(simulate({&made, 1}, window, 2), "");
    }
  }
}

}  // namespace
}  // namespace rondo::internal::exchange_window_test
