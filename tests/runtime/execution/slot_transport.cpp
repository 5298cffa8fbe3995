#include "runtime/execution/slot_transport.hpp"

#include <gtest/gtest.h>

#include "datatypes/copying/copy_program.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/routes/slot_plan.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal::slot_transport_test {
namespace {

/// One message of every start, from a rank to another, with its slots between them.
class Line {
 public:
  /// `counted`: without an answer that tells what was consumed.
  Line(TaskId task, std::size_t bytes, bool counted)
      : data_(2 * bytes),
        sent(bytes),
        received(bytes, std::byte{0xEE}),
        send{.slots = {{filled_.data(), 1}, 2, counted ? &consumed_ : nullptr},
             .data = {data_.data(), static_cast<std::ptrdiff_t>(bytes)},
             .source = sent.data(),
             .program = {}},
        receive{.slots = {{filled_.data(), 1}, 2, counted ? &consumed_ : nullptr},
                .data = {data_.data(), static_cast<std::ptrdiff_t>(bytes)},
                .target = received.data(),
                .program = {}} {
    message.task = task & Message::kMostTasks;
    message.size = static_cast<std::int32_t>(bytes);
  }
  void fill(int value) { std::memset(sent.data(), value, sent.size()); }
  [[nodiscard]] bool arrived(int value) const { return received == std::vector(received.size(), std::byte(value)); }

 private:
  std::vector<std::byte> data_;
  std::array<SharedWord, 2> filled_{};
  SharedWord consumed_ = 0;

 public:
  std::vector<std::byte> sent;
  std::vector<std::byte> received;
  SendChannel send;
  ReceiveChannel receive;
  Message message;
};

class SlotTransportTest : public ::testing::Test {
 protected:
  SlotTransportTest() {
    sender.reserve(8);
    receiver.reserve(8);
  }
  static std::vector<std::pair<TaskId, int>> poll(SlotTransport& transport) {
    std::vector<std::pair<TaskId, int>> reported;
    for (const Completion& completion : transport.poll()) reported.emplace_back(completion.task, completion.code);
    return reported;
  }
  void post_send(Line& line, bool failed = false) { sender.send(a, line.message, line.send, failed); }
  void post_receive(Line& line) { receiver.receive(b, line.message, line.receive); }

  using Reported = std::vector<std::pair<TaskId, int>>;
  LoopbackNetwork network{2, 1};
  std::shared_ptr<const Schedule> empty = std::make_shared<const Schedule>(ScheduleBuilder().build());
  Execution a{empty, network.transport(0), MPI_COMM_NULL, 0};
  Execution b{empty, network.transport(1), MPI_COMM_NULL, 0};
  Execution c{empty, network.transport(1), MPI_COMM_NULL, 0};
  SlotTransport sender;
  SlotTransport receiver;
};

TEST_F(SlotTransportTest, AMessageIsThereOnceItWasSent) {
  Line line(5, 100, false);
  post_receive(line);
  EXPECT_EQ(poll(receiver), Reported{});
  EXPECT_EQ(receiver.in_flight(), 1U);
  line.fill(1);
  post_send(line);
  EXPECT_EQ(sender.in_flight(), 1U) << "complete, and not yet reported";
  line.fill(99);  // its memory may be used again
  EXPECT_EQ(poll(sender), (Reported{{5, MPI_SUCCESS}}));
  EXPECT_EQ(poll(sender), Reported{}) << "each is reported once";
  EXPECT_EQ(sender.in_flight(), 0U);
  EXPECT_EQ(poll(receiver), (Reported{{5, MPI_SUCCESS}}));
  EXPECT_EQ(poll(receiver), Reported{});
  EXPECT_EQ(receiver.in_flight(), 0U);
  EXPECT_TRUE(line.arrived(1));
}

/// Only the receiver's count tells the sender of an asymmetric pair that a slot is free.
TEST_F(SlotTransportTest, ASendIsOverWhenTheNextOneHasAFreeSlot) {
  Line line(0, 64, true);
  line.fill(1);
  post_send(line);
  EXPECT_EQ(poll(sender).size(), 1U);
  line.fill(2);
  post_send(line);
  line.fill(99);
  for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(poll(sender), Reported{}) << "both slots are full";
  EXPECT_EQ(sender.in_flight(), 1U);
  EXPECT_EQ(sender.in_flight_at(0).execution, &a);
  EXPECT_EQ(sender.in_flight_at(0).task, 0U);
  for (int start = 1; start <= 2; ++start) {
    post_receive(line);
    EXPECT_EQ(poll(receiver), (Reported{{0, MPI_SUCCESS}})) << "whatever the sender is inside of";
    EXPECT_TRUE(line.arrived(start)) << start;
  }
  EXPECT_EQ(poll(sender).size(), 1U);
  EXPECT_EQ(sender.in_flight(), 0U);
}

TEST_F(SlotTransportTest, SendsThatAreAheadWaitEachForItsOwnSlot) {
  Line one(1, 8, true);
  Line other(2, 8, true);
  for (int start = 1; start <= 2; ++start) {
    for (Line* line : {&one, &other}) {
      line->fill(start);
      post_send(*line);
    }
  }
  EXPECT_EQ(poll(sender).size(), 2U);
  EXPECT_EQ(sender.in_flight(), 2U);
  post_receive(other);
  EXPECT_EQ(poll(receiver).size(), 1U);
  EXPECT_EQ(poll(sender), (Reported{{2, MPI_SUCCESS}})) << "not the oldest one";
  post_receive(one);
  EXPECT_EQ(poll(receiver).size(), 1U);
  EXPECT_EQ(poll(sender), (Reported{{1, MPI_SUCCESS}}));
  EXPECT_TRUE(one.arrived(1));
}

TEST_F(SlotTransportTest, ScatteredDataArePackedAndUnpackedOnTheWay) {
  Line line(0, 8, false);
  const std::array<char, 9> from{"a-b-c-d-"};
  std::array<char, 17> to{"................"};
  CopyProgram packs;
  CopyProgram unpacks;
  for (std::int64_t i = 0; i < 4; ++i) {
    packs.append(2 * i, i, 1);
    unpacks.append(i, 4 * i, 1);
  }
  line.message.size = 4;
  line.send.source = reinterpret_cast<const std::byte*>(from.data());
  line.send.program = packs.runs();
  line.receive.target = reinterpret_cast<std::byte*>(to.data());
  line.receive.program = unpacks.runs();
  for (int start = 0; start < 4; ++start) {
    to.fill('.');
    post_send(line);
    post_receive(line);
    EXPECT_EQ(poll(sender).size() + poll(receiver).size(), 2U);
    EXPECT_EQ(std::string(to.data(), 16), "a...b...c...d...");
  }
}

/// The partner hears of it, no data come, and the next start is a good one.
TEST_F(SlotTransportTest, AFailedExecutionSendsAMessageWithoutData) {
  Line line(3, 32, true);
  line.fill(7);
  post_send(line, true);
  post_receive(line);
  EXPECT_EQ(poll(sender), (Reported{{3, MPI_SUCCESS}}));
  EXPECT_EQ(poll(receiver), (Reported{{3, kPartnerFailed}}));
  EXPECT_TRUE(line.arrived(0xEE)) << "nothing was written";
  line.fill(8);
  post_send(line);
  post_receive(line);
  EXPECT_EQ(poll(receiver), (Reported{{3, MPI_SUCCESS}}));
  EXPECT_TRUE(line.arrived(8));
}

/// A failed send that fills the last free slot is a failed one for its receiver.
TEST_F(SlotTransportTest, AFailedSendIsOneAlsoWhenItIsAhead) {
  Line line(0, 8, true);
  for (const bool failed : {false, true}) post_send(line, failed);
  std::vector<int> codes;
  for (int start = 0; start < 2; ++start) {
    post_receive(line);
    for (const auto& [task, code] : poll(receiver)) codes.push_back(code);
    poll(sender);
  }
  EXPECT_EQ(codes, (std::vector{MPI_SUCCESS, kPartnerFailed}));
}

TEST_F(SlotTransportTest, WhatIsInFlightCanBeListed) {
  Line ahead(1, 8, true);
  Line sent(2, 8, true);
  Line awaited(3, 8, true);
  post_send(ahead);
  poll(sender);
  post_send(ahead);
  post_send(sent);
  sender.receive(b, awaited.message, awaited.receive);
  ASSERT_EQ(sender.in_flight(), 3U);
  std::set<std::pair<const Execution*, TaskId>> listed;
  for (std::size_t place = 0; place < 3; ++place)
    listed.emplace(sender.in_flight_at(place).execution, sender.in_flight_at(place).task);
  EXPECT_EQ(listed, (std::set<std::pair<const Execution*, TaskId>>{{&a, 1}, {&a, 2}, {&b, 3}}));
}

/// In each of the states that a message may be in.
TEST_F(SlotTransportTest, WhatWasAbandonedIsNotReported) {
  Line ahead(1, 8, true);
  Line sent(2, 8, true);
  Line there(3, 8, true);
  Line awaited(4, 8, true);
  Line of_another(5, 8, true);
  Line also_of_another(6, 8, true);
  post_send(ahead);
  post_send(there);
  poll(sender);
  post_send(ahead);
  post_send(sent);
  sender.receive(a, there.message, there.receive);
  sender.receive(a, awaited.message, awaited.receive);
  sender.receive(c, of_another.message, of_another.receive);
  sender.send(c, also_of_another.message, also_of_another.send, false);
  EXPECT_EQ(sender.in_flight(), 6U);
  EXPECT_TRUE(sender.abandon(a));
  EXPECT_EQ(sender.in_flight(), 2U);
  EXPECT_EQ(poll(sender), (Reported{{6, MPI_SUCCESS}}));
  EXPECT_EQ(sender.in_flight_at(0).task, 5U);
  EXPECT_TRUE(there.arrived(0xEE)) << "its buffer is not touched any more";
  for (int start = 0; start < 2; ++start) {
    post_receive(ahead);
    poll(receiver);
  }
  EXPECT_EQ(poll(sender), Reported{}) << "a send that was ahead";
}

/// Many lines, each end at its own pace.
TEST_F(SlotTransportTest, EveryStartArrivesInItsOrder) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    SlotTransport from;
    SlotTransport to;
    constexpr int kStarts = 40;
    std::vector<std::unique_ptr<Line>> lines;
    std::vector<int> sends(6);
    std::vector<int> receives(6);
    std::vector<bool> sending(6);
    std::vector<bool> receiving(6);
    from.reserve(6);
    to.reserve(6);
    for (TaskId task = 0; task < 6; ++task) lines.push_back(std::make_unique<Line>(task, 1 + random() % 200, true));
    int left = 2 * 6 * kStarts;
    while (left > 0) {
      const std::size_t i = random() % 6;
      Line& line = *lines[i];
      if (random() % 2 == 0) {
        if (!sending[i] && sends[i] < kStarts) {
          sending[i] = true;
          line.fill(++sends[i]);
          from.send(a, line.message, line.send, sends[i] % 7 == 0);
        }
        for (const Completion& completion : from.poll()) {
          sending[completion.task] = false;
          --left;
        }
      } else {
        if (!receiving[i] && receives[i] < kStarts) {
          receiving[i] = true;
          ++receives[i];
          to.receive(b, line.message, line.receive);
        }
        for (const Completion& completion : to.poll()) {
          const int start = receives[completion.task];
          ASSERT_EQ(completion.code, start % 7 == 0 ? kPartnerFailed : MPI_SUCCESS);
          ASSERT_TRUE(lines[completion.task]->arrived(start % 7 == 0 ? start - 1 : start) || start % 7 == 0);
          receiving[completion.task] = false;
          --left;
        }
      }
    }
    EXPECT_EQ(from.in_flight() + to.in_flight(), 0U);
  }
}

TEST_F(SlotTransportTest, WhatStaysInItsSlotIsNotCopiedAndGivenBackByTheNextStart) {
  Line line(0, 64, true);
  line.receive.stays = true;
  for (int start = 1; start <= 6; ++start) {
    line.fill(start);
    post_send(line);
    receiver.receive(b, line.message, line.receive);
    EXPECT_FALSE(line.receive.held) << "the last start is over";
    ASSERT_EQ(poll(receiver).size(), 1U);
    ASSERT_TRUE(line.receive.held);
    EXPECT_EQ(line.receive.held_data()[63], std::byte(start));
    EXPECT_TRUE(line.arrived(0xEE));
    EXPECT_EQ(poll(sender).size(), 1U) << "one of the two slots was given back";
  }
  post_send(line);
  EXPECT_EQ(poll(sender).size(), 0U) << "the other one is still read";
}

/// Two messages with data in common, also where a start fails before both, or between them.
TEST_F(SlotTransportTest, DataInCommonArePackedOnceInEachStart) {
  constexpr std::size_t kBytes = 100;
  std::vector<std::byte> memory(2 * kBytes);
  PublishedData published{.buffers = {memory.data(), memory.data() + kBytes}};
  Line one(1, kBytes, false);
  Line other(2, kBytes, false);
  other.send.source = one.send.source;
  for (Line* line : {&one, &other}) {
    line->send.data = {memory.data(), kBytes};
    line->send.published = &published;
    line->receive.data = {memory.data(), kBytes};
  }
  const std::array<std::array<bool, 2>, 8> failures{
      {{false, false}, {false, false}, {false, true}, {false, false}, {true, true}, {false, false}, {false, true}, {}}};
  for (std::size_t start = 0; start < failures.size(); ++start) {
    const auto [fails, fails_then] = failures[start];
    const int value = static_cast<int>(start) + 1;
    one.fill(value);
    post_send(one, fails);
    one.fill(99);
    post_send(other, fails_then);
    post_receive(one);
    post_receive(other);
    EXPECT_EQ(poll(sender).size(), 2U);
    Reported reported = poll(receiver);
    std::ranges::sort(reported);
    EXPECT_EQ(reported,
              (Reported{{1, fails ? kPartnerFailed : MPI_SUCCESS}, {2, fails_then ? kPartnerFailed : MPI_SUCCESS}}));
    EXPECT_TRUE(fails || one.arrived(value)) << start;
    EXPECT_TRUE(fails_then || other.arrived(value)) << start;
  }
}

TEST_F(SlotTransportTest, TooMuchIsRefusedAndChangesNothing) {
  EXPECT_THROW(sender.reserve(std::size_t{1} << 60U), std::length_error);
  Line line(0, 8, false);
  post_send(line);
  EXPECT_EQ(poll(sender).size(), 1U);
  sender.release(8);
  sender.reserve(8);
}

}  // namespace
}  // namespace rondo::internal::slot_transport_test
