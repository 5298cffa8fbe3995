#include "runtime/routes/slot_reading.hpp"

#include <gtest/gtest.h>

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/layout/layout.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/networks/fake_network.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::slot_reading_test {
namespace {

constexpr std::int64_t kBlock = 64;
using Text = std::string;

/// Pieces of 8 bytes, 16 apart.
Layout scattered() {
  Layout layout;
  layout.append(Run{0, 8, kBlock / 8, 16});
  return layout;
}

/// A schedule of messages with rank 1 by tag, and channels for some of them. Each byte of memory says where it lies: a
/// for the send buffer, s for scratch memory, 0 and 1 for the slots of messages with even tags, 2 and 3 for others'.
class Ends {
 public:
  explicit Ends(const std::function<void(ScheduleBuilder&)>& lower) {
    ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
    lower(builder);
    schedule_ = std::make_unique<const Schedule>(std::move(builder).build());
    send_.assign(4 * kBlock, 'a');
    recv_.assign(4 * kBlock, 'r');
    scratch_.assign(static_cast<std::size_t>(schedule_->scratch_bytes()), 's');
    bases_ = {bytes(send_), bytes(recv_), bytes(scratch_)};
    reading_ = SlotReading(*schedule_, bases_);
    routes_.resize(schedule_->messages().size());
  }

  void open(std::uint32_t tag, std::uint32_t slots_of_message = 2) {
    const Task& task = task_of(tag);
    Slots& slots = slots_.emplace_back();
    for (std::size_t i = 0; i < 2; ++i)
      slots.data[i].assign(static_cast<std::size_t>(task.bytes), static_cast<char>('0' + i + 2 * (tag % 2)));
    if (task.kind == TaskKind::send) {
      slots.send = {.slots = {},
                    .data = {},
                    .source = bases_[static_cast<std::size_t>(task.source_space)] + task.source_offset,
                    .program = {}};
      routes_[task.message].send = &slots.send;
    } else {
      slots.receive = {.slots = {{}, slots_of_message, nullptr},
                       .data = {bytes(slots.data[0]), bytes(slots.data[1]) - bytes(slots.data[0])},
                       .target = bases_[static_cast<std::size_t>(task.target_space)] + task.target_offset,
                       .program = {}};
      routes_[task.message].receive = &slots.receive;
    }
  }
  void settle() { reading_.settle(routes_); }

  [[nodiscard]] bool stays(std::uint32_t tag) const { return routes_[task_of(tag).message].receive->stays; }
  [[nodiscard]] bool sends_as_before(std::uint32_t tag) const {
    return routes_[task_of(tag).message].send->program.empty();
  }
  /// What a start that uses that slot sends, one letter for every 16 bytes.
  [[nodiscard]] Text sent(std::uint32_t tag, std::size_t slot) const {
    const Task& task = task_of(tag);
    const SendChannel& channel = *routes_[task.message].send;
    Text packed(static_cast<std::size_t>(task.bytes), '.');
    run_copies(channel.program.of_start(slot), channel.source, bytes(packed));
    Text letters;
    for (std::size_t i = 0; i < packed.size(); i += 16) {
      EXPECT_EQ(packed.substr(i, 16), Text(16, packed[i]));
      letters += packed[i];
    }
    return letters;
  }
  [[nodiscard]] std::optional<std::uint32_t> read_by(TaskKind kind) const {
    std::optional<std::uint32_t> tag;
    for (TaskId id = 0; id < schedule_->tasks().size(); ++id) {
      if (schedule_->tasks()[id].kind != kind) continue;
      if (const auto message = reading_.message_of(id)) tag = schedule_->tasks()[schedule_->messages()[*message]].tag;
    }
    return tag;
  }
  [[nodiscard]] bool by_copies() const { return reading_.by_copies(); }

 private:
  struct Slots {
    std::array<Text, 2> data;
    SendChannel send{.slots = {}, .data = {}, .source = nullptr, .program = {}};
    ReceiveChannel receive{.slots = {}, .data = {}, .target = nullptr, .program = {}};
  };
  static std::byte* bytes(Text& text) { return reinterpret_cast<std::byte*>(text.data()); }
  [[nodiscard]] const Task& task_of(std::uint32_t tag) const {
    for (const TaskId id : schedule_->messages()) {
      if (schedule_->tasks()[id].tag == tag) return schedule_->tasks()[id];
    }
    throw std::out_of_range("tag");
  }

  std::unique_ptr<const Schedule> schedule_;
  Text send_;
  Text recv_;
  Text scratch_;
  std::array<std::byte*, kSpaces> bases_{};
  SlotReading reading_;
  std::vector<Route> routes_;
  std::deque<Slots> slots_;
};

std::array<BlockId, 2> arriving(ScheduleBuilder& builder, std::uint32_t tag) {
  const std::array blocks{builder.transit(kBlock), builder.transit(kBlock / 2)};
  builder.receive(1, tag, blocks);
  return blocks;
}

/// Two messages arrive, with tags 0 and 1, whose blocks go on mixed with own data, and in part once more.
void pass_on_twice(ScheduleBuilder& builder) {
  const auto first = arriving(builder, 0);
  const auto second = arriving(builder, 1);
  const BlockId own = builder.block(Space::send, 0, kBlock);
  const BlockId strided = builder.block(Space::send, kBlock, builder.keep(scattered()));
  builder.send(1, 2, std::array{second[1], own, first[0], first[1], strided, second[0]});
  builder.send(1, 3, std::array{second[0], second[1]});
}

TEST(SlotReading, SendsPackOutOfTheSlots) {
  Ends it(pass_on_twice);
  for (std::uint32_t tag = 0; tag < 4; ++tag) it.open(tag);
  it.settle();
  EXPECT_TRUE(it.stays(0) && it.stays(1));
  EXPECT_EQ(it.sent(2, 0), "22aaaa000000aaaa2222");
  EXPECT_EQ(it.sent(2, 1), "33aaaa111111aaaa3333");
  EXPECT_EQ(it.sent(3, 0), "222222");
  EXPECT_EQ(it.sent(3, 1), "333333");
  EXPECT_FALSE(it.by_copies());
}

TEST(SlotReading, WhatCameOverMpiIsReadWhereItIs) {
  Ends it(pass_on_twice);
  for (const std::uint32_t tag : {0U, 2U, 3U}) it.open(tag);
  it.settle();
  EXPECT_TRUE(it.stays(0));
  EXPECT_EQ(it.sent(2, 0), "ssaaaa000000aaaassss");
  EXPECT_EQ(it.sent(2, 1), "ssaaaa111111aaaassss");
  EXPECT_TRUE(it.sends_as_before(3)) << "all that it reads came over MPI";
}

TEST(SlotReading, WhatGoesOnOverMpiDoesNotStay) {
  Ends it(pass_on_twice);
  for (std::uint32_t tag = 0; tag < 3; ++tag) it.open(tag);
  it.settle();
  EXPECT_TRUE(it.stays(0));
  EXPECT_FALSE(it.stays(1)) << "the message with tag 3 takes MPI";
  EXPECT_EQ(it.sent(2, 0), "ssaaaa000000aaaassss");
  EXPECT_EQ(it.sent(2, 1), "ssaaaa111111aaaassss");
}

/// They are not the same ones in every other start.
TEST(SlotReading, WhatHasMoreThanTwoSlotsDoesNotStay) {
  Ends it(pass_on_twice);
  it.open(0);
  it.open(1, 4);
  for (const std::uint32_t tag : {2U, 3U}) it.open(tag);
  it.settle();
  EXPECT_TRUE(it.stays(0));
  EXPECT_FALSE(it.stays(1));
  EXPECT_EQ(it.sent(2, 0), "ssaaaa000000aaaassss");
  EXPECT_TRUE(it.sends_as_before(3));
}

TEST(SlotReading, WithoutChannelsNothingStays) {
  Ends it(pass_on_twice);
  for (std::uint32_t tag = 0; tag < 2; ++tag) it.open(tag);
  it.settle();
  EXPECT_FALSE(it.stays(0) || it.stays(1));
  Ends other(pass_on_twice);
  for (std::uint32_t tag = 2; tag < 4; ++tag) other.open(tag);
  other.settle();
  EXPECT_TRUE(other.sends_as_before(2) && other.sends_as_before(3));
}

/// What begins where another message ends is one piece with it in scratch memory, but not in the slots.
TEST(SlotReading, APieceMayBeOfSeveralMessages) {
  Ends it([](ScheduleBuilder& builder) {
    std::array<BlockId, 3> blocks{};
    const std::int64_t begin = builder.reserve_scratch(3 * kBlock);
    for (std::uint32_t i = 0; i < 3; ++i) blocks[i] = builder.block(Space::scratch, begin + i * kBlock, kBlock);
    const BlockId own = builder.block(Space::send, 0, kBlock);
    builder.receive(1, 0, {&blocks[0], 1});
    builder.copy({&own, 1}, {&blocks[1], 1});
    builder.receive(1, 1, {&blocks[2], 1});
    builder.send(1, 2, blocks);
  });
  for (std::uint32_t tag = 0; tag < 3; ++tag) it.open(tag);
  it.settle();
  EXPECT_TRUE(it.stays(0) && it.stays(1));
  EXPECT_EQ(it.sent(2, 0), "0000ssss2222");
  EXPECT_EQ(it.sent(2, 1), "1111ssss3333");
}

TEST(SlotReading, CopiesReadWhatStays) {
  const auto unpack_and_pass_on = [](ScheduleBuilder& builder) {
    const auto blocks = arriving(builder, 0);
    const BlockId result = builder.block(Space::recv, 0, kBlock);
    builder.copy({&blocks[0], 1}, {&result, 1});
    builder.send(1, 2, {&blocks[1], 1});
  };
  Ends it(unpack_and_pass_on);
  it.open(0);
  it.open(2);
  EXPECT_FALSE(it.read_by(TaskKind::copy)) << "nobody knows yet";
  EXPECT_FALSE(it.by_copies());
  it.settle();
  EXPECT_TRUE(it.stays(0));
  EXPECT_EQ(it.read_by(TaskKind::copy), 0U);
  EXPECT_TRUE(it.by_copies());
  EXPECT_EQ(it.sent(2, 1), "11");
  Ends half(unpack_and_pass_on);
  half.open(0);
  half.settle();
  EXPECT_FALSE(half.stays(0));
  EXPECT_FALSE(half.read_by(TaskKind::copy));
  EXPECT_FALSE(half.by_copies());
}

/// Two ranks. Each passes on, to where it came from, what has arrived, mixed with data of its own, and unpacks the
/// rest.
class PassingOn : public ::testing::Test {
 protected:
  static constexpr int kInts = 100;
  static constexpr std::int64_t kBytes = kInts * std::int64_t{sizeof(int)};
  struct End {
    explicit End(int partner) : execution(schedule(partner), transport, MPI_COMM_NULL, 0) {
      execution.bind(send.data(), recv.data());
    }
    static std::shared_ptr<const Schedule> schedule(int partner) {
      ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
      std::array<BlockId, 3> own{};
      std::array<BlockId, 3> results{};
      for (std::size_t i = 0; i < 3; ++i) {
        own[i] = builder.block(Space::send, static_cast<std::int64_t>(i) * kBytes, kBytes);
        results[i] = builder.block(Space::recv, static_cast<std::int64_t>(i) * kBytes, kBytes);
      }
      const std::array first{builder.transit(kBytes), builder.transit(kBytes)};
      builder.exchange(partner, partner, 0, std::array{own[0], own[1]}, first);
      builder.copy({&first[0], 1}, {&results[0], 1});
      builder.exchange(partner, partner, 1, std::array{own[2], first[1]}, std::array{results[1], results[2]});
      return std::make_shared<const Schedule>(std::move(builder).build());
    }
    void start(int value) {
      std::iota(send.begin(), send.end(), value);
      std::ranges::fill(recv, -1);
      execution.announce();
      execution.start();
    }
    bool turn() {
      for (const Completion& it : transport.poll()) it.execution->complete(it.task, it.code);
      return execution.active();
    }
    [[nodiscard]] std::byte* landing() const {
      for (std::uint32_t number = 0;; ++number) {
        const Message& message = execution.message(number);
        if (message.sends == 0 && message.tag == 0) return message.address;
      }
    }
    FakeNetwork network;
    NodeTransport<FakeNetwork> transport{network};
    std::vector<int> send = std::vector<int>(3 * kInts);
    std::vector<int> recv = std::vector<int>(3 * kInts);
    Execution execution;
  };
  /// A start of both, to its end.
  static void run(End& a, End& b) {
    for (bool active = true; active;) {
      active = a.turn();
      active = b.turn() || active;
    }
  }
  /// After a start of both.
  static void expect_right(const End& end, int own, int others) {
    for (int i = 0; i < kInts; ++i) {
      const auto at = [&](int block) { return end.recv[static_cast<std::size_t>(block * kInts + i)]; };
      ASSERT_EQ(at(0), others + i);
      ASSERT_EQ(at(1), others + 2 * kInts + i);
      ASSERT_EQ(at(2), own + kInts + i) << "went there and back";
    }
  }
};

TEST_F(PassingOn, OverManyStarts) {
  End a(1);
  End b(0);
  connect_executions(a.execution, b.execution);
  ASSERT_EQ(a.execution.shared_messages().size(), 4U);
  std::memset(a.landing(), 0xEE, 2 * kBytes);
  for (int start = 0; start < 10; ++start) {
    a.start(1000 * start);
    b.start(7 * start);
    run(a, b);
    expect_right(a, 1000 * start, 7 * start);
    expect_right(b, 7 * start, 1000 * start);
  }
  EXPECT_EQ(a.landing()[0], std::byte{0xEE}) << "nothing was copied there";
}

/// What a rank that has failed sends has no data, and the slots of both ends stay in step.
TEST_F(PassingOn, AfterFailures) {
  End a(1);
  End b(0);
  connect_executions(a.execution, b.execution);
  for (int start = 0; start < 12; ++start) {
    const bool fails = start % 3 == 1;
    a.start(1000 * start);
    b.start(7 * start);
    if (fails) a.execution.complete(kNoTask, MPI_ERR_OTHER);
    run(a, b);
    EXPECT_EQ(a.execution.failure().has_value(), fails);
    EXPECT_EQ(b.execution.failure().has_value(), fails);
    if (fails) continue;
    expect_right(a, 1000 * start, 7 * start);
    expect_right(b, 7 * start, 1000 * start);
  }
}

}  // namespace
}  // namespace rondo::internal::slot_reading_test
