#include "runtime/routes/slot_readers.hpp"

#include <gtest/gtest.h>

#include "datatypes/layout/layout.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/networks/fake_network.hpp"

#include <algorithm>
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

/// The tags of the messages that are read in their slots, as often as they have readers.
std::vector<std::uint32_t> read_there(const Schedule& schedule) {
  const SlotReaders found = slot_readers(schedule);
  EXPECT_TRUE(std::ranges::is_sorted(found.readers, {}, &SlotReader::task));
  std::vector<std::uint32_t> tags;
  for (const SlotReader& reader : found.readers)
    tags.push_back(schedule.tasks()[schedule.messages()[reader.message]].tag);
  return tags;
}
std::vector<std::uint32_t> read_there(const Lowering& lowering) { return read_there(*schedule_of(lowering)); }

using Tags = std::vector<std::uint32_t>;

TEST(SlotReaders, WhatIsOnlyCombinedIsReadInItsSlot) {
  EXPECT_EQ(read_there([](ScheduleBuilder& builder, const Blocks& it) {
              builder.reduce(it.arriving[0], it.sum);
              builder.reduce(it.arriving[1], it.sum);
              builder.reduce(it.arriving[1], it.sum);
            }),
            (Tags{0, 1, 1}));
}

TEST(SlotReaders, WhatIsCombinedMayBeCopiedAndSentAsWell) {
  EXPECT_EQ(read_there([](ScheduleBuilder& builder, const Blocks& it) {
              builder.reduce(it.arriving[0], it.sum);
              builder.reduce(it.arriving[1], it.sum);
              const BlockId further = builder.block(Space::recv, kBytes, kBytes);
              builder.copy({&it.arriving[0], 1}, {&further, 1});
              builder.send(1, 2, {&it.arriving[0], 1});
            }),
            (Tags{0, 1, 0, 0}));
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
              const std::array further{builder.block(Space::recv, kBytes, kBytes),
                                       builder.block(Space::recv, 2 * kBytes, kBytes)};
              builder.copy(it.arriving, further);
            }),
            Tags{})
      << "copied together with another one";
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

/// Messages of two blocks of 64 bytes that arrive from rank 1 and go to scratch memory.
class Arriving {
 public:
  std::array<BlockId, 2> receive(std::uint32_t tag) {
    const std::array blocks{builder.transit(64), builder.transit(64)};
    builder.receive(1, tag, blocks);
    return blocks;
  }
  [[nodiscard]] Tags read_there() && { return slot_readers_test::read_there(std::move(builder).build()); }

  ScheduleBuilder builder{Ordering::dependencies, MessageForm::datatype};
};

TEST(SlotReaders, ASendReadsAnyNumberOfMessages) {
  Arriving it;
  const auto first = it.receive(0);
  const auto second = it.receive(1);
  const auto third = it.receive(2);
  const BlockId own = it.builder.block(Space::send, 0, 64);
  it.builder.send(1, 3, std::array{second[1], own, first[0], first[1], second[0]});
  it.builder.send(1, 4, std::array{first[1], own});
  it.builder.send(1, 5, {&third[0], 1});
  EXPECT_EQ(std::move(it).read_there(), (Tags{1, 0, 0, 2}));
}

TEST(SlotReaders, ACopyReadsOneMessage) {
  Arriving it;
  const auto first = it.receive(0);
  const auto second = it.receive(1);
  std::array<BlockId, 4> results{};
  for (std::int64_t i = 0; i < 4; ++i)
    results[static_cast<std::size_t>(i)] = it.builder.block(Space::recv, 100 * i, 64);
  it.builder.copy(first, std::array{results[1], results[0]});
  it.builder.copy({&second[1], 1}, {&results[2], 1});
  it.builder.send(1, 2, second);
  EXPECT_EQ(std::move(it).read_there(), (Tags{0, 1, 1}));
}

/// As where it is packed for MPI.
TEST(SlotReaders, WhatIsCopiedTogetherWithOthersIsNot) {
  Arriving it;
  const auto first = it.receive(0);
  const auto second = it.receive(1);
  const std::array together{it.builder.transit(64), it.builder.transit(64)};
  it.builder.copy(std::array{first[0], second[0]}, together);
  it.builder.send(1, 2, together);
  EXPECT_EQ(std::move(it).read_there(), Tags{});
}

TEST(SlotReaders, WhatIsWrittenAgainIsNot) {
  Arriving it;
  const std::int64_t begin = it.builder.reserve_scratch(128);
  const BlockId bucket = it.builder.block(Space::scratch, begin, 64);
  const BlockId beside = it.builder.block(Space::scratch, begin + 64, 64);
  for (std::uint32_t tag = 0; tag < 4; tag += 2) {
    it.builder.receive(1, tag, {&bucket, 1});
    it.builder.send(1, tag + 1, {&bucket, 1});
  }
  it.builder.receive(1, 4, {&beside, 1});
  it.builder.send(1, 5, {&beside, 1});
  const BlockId own = it.builder.block(Space::send, 0, 64);
  it.builder.copy({&own, 1}, {&bucket, 1});
  it.builder.send(1, 6, {&bucket, 1});
  EXPECT_EQ(std::move(it).read_there(), Tags{4});
}

TEST(SlotReaders, WhatIsCopiedToIsNot) {
  Arriving it;
  const BlockId bucket = it.builder.block(Space::scratch, it.builder.reserve_scratch(64), 64);
  it.builder.receive(1, 0, {&bucket, 1});
  it.builder.send(1, 1, {&bucket, 1});
  const BlockId own = it.builder.block(Space::send, 0, 64);
  it.builder.copy({&own, 1}, {&bucket, 1});
  it.builder.send(1, 2, {&bucket, 1});
  EXPECT_EQ(std::move(it).read_there(), Tags{});
}

/// However a copy program holds what lies around it.
TEST(SlotReaders, WhatIsCopiedAroundIs) {
  Arriving it;
  const std::int64_t begin = it.builder.reserve_scratch(std::int64_t{64} * 21);
  const BlockId middle = it.builder.block(Space::scratch, begin + 64 * 10, 64);
  it.builder.receive(1, 0, {&middle, 1});
  it.builder.send(1, 1, {&middle, 1});
  std::vector<BlockId> own;
  std::vector<BlockId> around;
  for (std::int64_t i = 0; i < 20; ++i) {
    own.push_back(it.builder.block(Space::send, 100 * i * i, i + 1));
    around.push_back(it.builder.block(Space::scratch, begin + 64 * (i < 10 ? i : i + 1), i + 1));
  }
  it.builder.copy(own, around);
  it.builder.send(1, 2, around);
  EXPECT_EQ(std::move(it).read_there(), Tags{0});
}

/// A receive of several pieces is none that can be read in its slot, and writes what another one brought.
TEST(SlotReaders, WhatAScatteredMessageWritesIsNot) {
  Arriving it;
  const std::int64_t begin = it.builder.reserve_scratch(256);
  const std::array apart{it.builder.block(Space::scratch, begin, 64),
                         it.builder.block(Space::scratch, begin + 128, 64)};
  it.builder.receive(1, 0, {&apart[1], 1});
  it.builder.send(1, 1, {&apart[1], 1});
  it.builder.receive(1, 2, apart);
  it.builder.send(1, 3, apart);
  EXPECT_EQ(std::move(it).read_there(), Tags{});
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
