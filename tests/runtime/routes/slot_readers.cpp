#include "runtime/routes/slot_readers.hpp"

#include <gtest/gtest.h>

#include "datatypes/layout/layout.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/fake_network.hpp"

#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace rondo::internal::slot_readers_test {
namespace {

constexpr int kCount = 100;
constexpr std::int64_t kBytes = kCount * std::int64_t{sizeof(int)};

/// What is built where `own` was copied to `sum`, and two operands arrive from rank 1, each as one message.
struct Blocks {
  BlockId own;
  BlockId sum;
  std::array<BlockId, 2> arriving;
};
using Lowering = std::function<void(ScheduleBuilder&, const Blocks&)>;

std::shared_ptr<const Schedule> schedule_of(const Lowering& lowering, int partner = 1) {
  ScheduleBuilder builder;
  builder.set_reduction(std::make_shared<const Reduction>(MPI_SUM, MPI_INT, kCount, flatten(MPI_INT)));
  const Blocks blocks{builder.block(Space::send, 0, kBytes),
                      builder.block(Space::recv, 0, kBytes),
                      {builder.operand(), builder.operand()}};
  builder.copy({&blocks.own, 1}, {&blocks.sum, 1});
  for (std::uint32_t tag = 0; tag < 2; ++tag) {
    builder.exchange(partner, partner, tag, {&blocks.own, 1}, {&blocks.arriving[tag], 1});
  }
  lowering(builder, blocks);
  return std::make_shared<const Schedule>(std::move(builder).build());
}

/// The tags of the messages that are read in their slots.
std::vector<std::uint32_t> read_there(const Lowering& lowering) {
  const auto schedule = schedule_of(lowering);
  std::vector<std::uint32_t> tags;
  for (const SlotReader& reader : slot_readers(*schedule)) {
    EXPECT_EQ(schedule->tasks()[reader.task].kind, TaskKind::reduce);
    tags.push_back(schedule->tasks()[schedule->messages()[reader.message]].tag);
  }
  return tags;
}

using Tags = std::vector<std::uint32_t>;

TEST(SlotReaders, WhatIsOnlyCombinedIsReadInItsSlot) {
  EXPECT_EQ(read_there([](ScheduleBuilder& builder, const Blocks& it) {
              builder.reduce(it.arriving[0], it.sum);
              builder.reduce(it.arriving[1], it.sum);
              builder.reduce(it.arriving[1], it.sum);
            }),
            (Tags{0, 1, 1}));
}

TEST(SlotReaders, WhatIsAlsoNeededOtherwiseIsNot) {
  const auto combined_and = [](const Lowering& further) {
    return read_there([&](ScheduleBuilder& builder, const Blocks& it) {
      builder.reduce(it.arriving[0], it.sum);
      builder.reduce(it.arriving[1], it.sum);
      further(builder, it);
    });
  };
  EXPECT_EQ(combined_and([](ScheduleBuilder& builder, const Blocks& it) {
              const BlockId further = builder.block(Space::recv, kBytes, kBytes);
              builder.copy({&it.arriving[0], 1}, {&further, 1});
            }),
            Tags{1})
      << "copied";
  EXPECT_EQ(combined_and([](ScheduleBuilder& builder, const Blocks& it) {
              builder.begin_phase();
              builder.send(1, 2, {&it.arriving[0], 1});
            }),
            Tags{1})
      << "passed on";
  EXPECT_EQ(combined_and([](ScheduleBuilder& builder, const Blocks& it) { builder.reduce(it.sum, it.arriving[0]); }),
            Tags{1})
      << "combined into";
}

TEST(SlotReaders, OneReduceReadsOneMessage) {
  EXPECT_EQ(read_there([](ScheduleBuilder& builder, const Blocks& it) {
              builder.reduce(std::vector{it.arriving[0], it.arriving[1]}, std::vector{it.sum, it.sum});
            }),
            Tags{});
  EXPECT_EQ(read_there([](ScheduleBuilder& builder, const Blocks& it) {
              builder.reduce(std::vector{it.arriving[0], it.arriving[0]}, std::vector{it.sum, it.sum});
              builder.reduce(it.own, it.sum);
            }),
            Tags{0});
}

TEST(SlotReaders, WithoutAReductionThereAreNone) {
  ScheduleBuilder builder;
  const BlockId incoming = builder.transit(8);
  const BlockId result = builder.block(Space::recv, 0, 8);
  builder.receive(1, 0, {&incoming, 1});
  builder.copy({&incoming, 1}, {&result, 1});
  EXPECT_TRUE(slot_readers(std::move(builder).build()).empty());
}

/// Two ranks that send each other both messages, over many starts. What lies in the slots has other values each time.
TEST(SlotReaders, TheSumsAreRight) {
  struct End {
    explicit End(int partner)
        : execution(schedule_of(
                        [](ScheduleBuilder& builder, const Blocks& it) {
                          builder.reduce(it.arriving[0], it.sum);
                          builder.reduce(std::vector{it.arriving[1], it.arriving[1]}, std::vector{it.sum, it.sum});
                        },
                        partner),
                    transport, MPI_COMM_NULL, 0) {
      execution.bind(own.data(), sum.data());
    }
    void start(int first) {
      std::iota(own.begin(), own.end(), first);
      execution.announce();
      execution.start();
    }
    void finish() {
      while (execution.active()) {
        for (const Completion& it : transport.poll()) it.execution->complete(it.task, it.code);
      }
    }
    FakeNetwork network;
    NodeTransport<FakeNetwork> transport{network};
    std::vector<int> own = std::vector<int>(kCount);
    std::vector<int> sum = std::vector<int>(kCount);
    Execution execution;
  };
  End a(1);
  End b(0);
  connect_executions(a.execution, b.execution);
  ASSERT_EQ(a.execution.shared_messages().size(), 4U);
  for (int start = 0; start < 10; ++start) {
    a.start(start);
    b.start(1000 * start);
    a.finish();
    b.finish();
    for (int i = 0; i < kCount; ++i) {
      ASSERT_EQ(a.sum[static_cast<std::size_t>(i)], start + i + 3 * (1000 * start + i)) << start;
      ASSERT_EQ(b.sum[static_cast<std::size_t>(i)], 1000 * start + i + 3 * (start + i)) << start;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::slot_readers_test
