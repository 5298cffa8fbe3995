// What the barrier's check finds, and that it finds it wherever a dependency is missing.
#include "runtime/check/barrier_check.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace rondo::internal::barrier_check_test {
namespace {

using Lowering = void (*)(int p, int rank, ScheduleBuilder&);

std::string early_end(int p, Lowering lower) {
  std::deque<Schedule> schedules;
  std::vector<const Schedule*> all;
  for (int rank = 0; rank < p; ++rank) {
    ScheduleBuilder builder;
    lower(p, rank, builder);
    all.push_back(&schedules.emplace_back(std::move(builder).build()));
  }
  return find_early_end(all);
}

TEST(BarrierCheck, FindsNothingWrongWithTokensThroughOneRank) {
  EXPECT_EQ(early_end(4,
                      [](int p, int rank, ScheduleBuilder& builder) {
                        builder.set_batches(static_cast<std::uint32_t>(p));
                        const BlockId token = builder.block(Space::send, 0, 1);
                        for (int other = 1; other < p; ++other) {
                          builder.begin_exchange();
                          const BlockId arrival = builder.transit(1);
                          if (rank == 0) builder.receive(other, 0, {&arrival, 1});
                          if (rank == other) builder.send(0, 0, {&token, 1});
                        }
                        builder.end_batch();
                        for (int other = 1; other < p; ++other) {
                          builder.begin_exchange();
                          const BlockId arrival = builder.transit(1);
                          if (rank == 0) builder.send(other, 0, {&token, 1});
                          if (rank == other) builder.receive(0, 0, {&arrival, 1});
                        }
                      }),
            "");
}

TEST(BarrierCheck, NamesARankThatIsNotWaitedFor) {
  EXPECT_EQ(early_end(2, [](int, int, ScheduleBuilder&) {}), "rank 0 may end before rank 1 has begun");
  EXPECT_EQ(early_end(2,
                      [](int, int rank, ScheduleBuilder& builder) {
                        const BlockId token = builder.block(Space::send, 0, 1);
                        const BlockId arrival = builder.transit(1);
                        if (rank == 1) builder.send(0, 0, {&token, 1});
                        if (rank == 0) builder.receive(1, 0, {&arrival, 1});
                      }),
            "rank 1 may end before rank 0 has begun");
}

/// Dissemination whose second round does not wait for the first.
TEST(BarrierCheck, NeedsTheDependencies) {
  EXPECT_EQ(early_end(4,
                      [](int p, int rank, ScheduleBuilder& builder) {
                        const BlockId token = builder.block(Space::send, 0, 1);
                        for (const int steps : {1, 2}) {
                          const BlockId arrival = builder.transit(1);
                          builder.exchange((rank + steps) % p, (rank - steps + p) % p, 0, {&token, 1}, {&arrival, 1});
                        }
                      }),
            "rank 0 may end before rank 1 has begun");
}

}  // namespace
}  // namespace rondo::internal::barrier_check_test
