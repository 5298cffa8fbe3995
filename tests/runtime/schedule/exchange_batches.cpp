// So many exchanges, then a wait for all: what the builder makes of it, and that it cannot hang.
#include "runtime/schedule/exchange_batches.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/cases/ring_alltoall.hpp"
#include "tests/support/cases/simulation.hpp"
#include "tests/support/expect_complaint.hpp"

#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::exchange_batches_test {
namespace {

/// `count` exchanges of a block each, in batches.
Schedule exchanges(std::uint32_t batch, int count) {
  ScheduleBuilder builder;
  builder.set_batches(batch);
  for (int e = 0; e < count; ++e) {
    const BlockId out = builder.block(Space::send, 8 * e, 8);
    const BlockId in = builder.block(Space::recv, 8 * e, 8);
    builder.exchange(1, 2, static_cast<std::uint32_t>(e), {&out, 1}, {&in, 1});
  }
  return std::move(builder).build();
}

TEST(ExchangeBatches, ABatchWaitsForAllOfTheOneBefore) {
  EXPECT_TRUE(edges_of(exchanges(4, 4)).empty());
  EXPECT_TRUE(edges_of(exchanges(4'000'000'000, 4)).empty());
  // Tasks 0 to 3 are a batch, 4 is what the next one waits for.
  EXPECT_EQ(edges_of(exchanges(2, 3)), (Edges{{0, 4}, {1, 4}, {2, 4}, {3, 4}, {4, 5}, {4, 6}}));
  EXPECT_EQ(exchanges(2, 3).tasks()[4].kind, TaskKind::join);
  EXPECT_EQ(edges_of(exchanges(1, 3)), (Edges{{0, 2}, {1, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 6}, {5, 7}}));
}

TEST(ExchangeBatches, EdgesAreAsManyAsMessages) { EXPECT_EQ(edges_of(exchanges(1000, 2000)).size(), 4000U); }

/// A half that is missing is over at once. A batch of one message needs no join; one without any ends when those before
/// it do.
TEST(ExchangeBatches, HalvesMayBeMissing) {
  ScheduleBuilder builder;
  builder.set_batches(2);
  const auto send = [&](int i) {
    builder.send(1, static_cast<std::uint32_t>(i), std::vector{builder.block(Space::send, 8 * i, 8)});
  };
  const auto receive = [&](int i) {
    builder.receive(1, static_cast<std::uint32_t>(i), std::vector{builder.block(Space::recv, 8 * i, 8)});
  };
  builder.begin_exchange();
  builder.begin_exchange();
  builder.begin_exchange();
  send(0);  // task 0
  builder.begin_exchange();
  builder.begin_exchange();
  builder.begin_exchange();
  builder.begin_exchange();
  receive(1);  // task 1
  builder.begin_exchange();
  send(1);  // task 2
  builder.begin_exchange();
  receive(2);  // task 4, after the join
  const Schedule schedule = std::move(builder).build();
  EXPECT_EQ(edges_of(schedule), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  EXPECT_EQ(schedule.tasks()[1].round, 6U);
  EXPECT_EQ(schedule.tasks()[2].round, 7U);
  EXPECT_EQ(schedule.tasks()[4].round, 8U);
}

TEST(ExchangeBatches, EndEarly) {
  ScheduleBuilder builder;
  builder.set_batches(3);
  builder.end_batch();  // which is empty
  const auto send = [&](std::uint32_t i) {
    builder.begin_exchange();
    builder.send(1, i, std::vector{builder.block(Space::send, 8 * i, 8)});
  };
  send(0);
  builder.end_batch();
  builder.end_batch();
  send(1);  // tasks 1 to 3 are the second batch
  send(2);
  send(3);
  builder.end_batch();
  send(4);  // task 5, after the join
  EXPECT_EQ(edges_of(std::move(builder).build()), (Edges{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {4, 5}}));
}

TEST(ExchangeBatches, CopiesAreNotWaitedFor) {
  ScheduleBuilder builder;
  builder.set_batches(1);
  for (int e = 0; e < 2; ++e) {
    const std::vector out{builder.block(Space::send, 32 * e, 8), builder.block(Space::send, 32 * e + 16, 8)};
    const std::vector in{builder.block(Space::recv, 32 * e, 8), builder.block(Space::recv, 32 * e + 16, 8)};
    builder.exchange(1, 1, static_cast<std::uint32_t>(e), out, in);
  }
  // Pack, send, receive, unpack; join; the same again.
  EXPECT_EQ(edges_of(std::move(builder).build()),
            (Edges{{0, 1}, {2, 3}, {1, 4}, {2, 4}, {5, 6}, {4, 6}, {4, 7}, {7, 8}}));
}

TEST(ExchangeBatches, BuilderSaysWhatIsWrong) {
  const auto send = [](ScheduleBuilder& it) { it.send(1, 0, std::vector{it.block(Space::send, 0, 8)}); };
  expect_complaint("batches of 0 exchanges", [](ScheduleBuilder& it) { it.set_batches(0); });
  expect_complaint("batches beside another limit", [](ScheduleBuilder& it) {
    it.set_batches(2);
    it.set_batches(2);
  });
  expect_complaint("batches beside another limit", [](ScheduleBuilder& it) {
    it.set_window(2);
    it.set_batches(2);
  });
  expect_complaint("a window beside another limit", [](ScheduleBuilder& it) {
    it.set_batches(2);
    it.set_window(2);
  });
  expect_complaint("batches too late", [&](ScheduleBuilder& it) {
    send(it);
    it.set_batches(2);
  });
  expect_complaint("a message outside an exchange", [&](ScheduleBuilder& it) {
    it.set_batches(2);
    send(it);
  });
  expect_complaint("the end of a batch, and there are none", [&](ScheduleBuilder& it) {
    it.set_window(2);
    it.end_batch();
  });
}

TEST(ExchangeBatches, NoBatchesHangAndEachIsKept) {
  constexpr int kBlocks = 8;
  for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
    for (const bool halves : {false, true}) {
      for (const int flush : {0, 3}) {
        for (int ranks = 1; ranks < 7; ++ranks) {
          for (std::uint32_t batches = 1; batches <= kBlocks; ++batches) {
            const CollectiveCase made = ring_alltoall({.ranks = ranks,
                                                       .blocks = kBlocks,
                                                       .halves = halves,
                                                       .batches = batches,
                                                       .flush = flush,
                                                       .form = form});
            ASSERT_EQ(checked(made), "");
            for (std::uint64_t seed = 0; seed < 3; ++seed) ASSERT_EQ(simulate({&made, 1}, seed, 2), "");
            // The batch of each exchange, by the words of set_batches() and end_batch().
            std::vector<int> batch_of;
            int batch = 0;
            std::uint32_t filled = 0;
            for (int e = 0; e < kBlocks; ++e) {
              if (filled == batches || (flush > 0 && e > 0 && e % flush == 0)) {
                ++batch;
                filled = 0;
              }
              ++filled;
              batch_of.push_back(batch);
            }
            for (const auto& schedule : made.schedules) {
              const auto messages = schedule->messages();
              for (const TaskId one : messages) {
                for (const TaskId other : messages) {
                  const int before = batch_of[schedule->tasks()[one].tag];
                  const int after = batch_of[schedule->tasks()[other].tag];
                  if (one >= other) continue;
                  ASSERT_EQ(ordered(*schedule, one, other), before < after)
                      << made.name << ", tasks " << one << " and " << other;
                }
              }
            }
          }
        }
      }
    }
  }
}

/// What would hang if ranks went through their exchanges in different orders, or ended batches at different ones: the
/// checker says so.
TEST(ExchangeBatches, DifferentOrdersAreFoundOut) {
  for (const bool early : {false, true}) {
    CollectiveCase made{"two orders", {}, {}, {24, 24}, {24, 24}};
    for (int rank = 0; rank < 2; ++rank) {
      ScheduleBuilder builder;
      builder.set_batches(2);
      for (int i = 0; i < 3; ++i) {
        // Rank 1 takes them 0 2 1, or 2 1 0 with the first batch ended after the first.
        const int e = rank == 0 ? i : early ? 2 - i : (2 * i) % 3;
        if (early && rank == 1 && i == 1) builder.end_batch();
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
}

}  // namespace
}  // namespace rondo::internal::exchange_batches_test
