#include "runtime/shared_memory/lane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal::lane_test {
namespace {

struct Lane {
  explicit Lane(std::size_t count) : lines(count), sender(lines, &consumed), receiver(lines, &consumed) {}

  /// Whether there was room.
  bool send(const LaneHeader& header, std::string_view data) {
    std::byte* const to = sender.try_reserve(data.size());
    if (to == nullptr) return false;
    std::memcpy(to, data.data(), data.size());
    sender.publish(header);
    return true;
  }

  std::vector<LaneLine<>> lines;
  SharedWord consumed = 0;
  LaneSender<> sender;
  LaneReceiver<> receiver;
};

[[nodiscard]] std::string text(const LaneReceiver<>::Message& message) {
  return {reinterpret_cast<const char*>(message.data), message.header.bytes};
}

TEST(Lane, FortyEightBytesFitIntoOneLine) {
  EXPECT_EQ(lane_lines(0), 1U);
  EXPECT_EQ(lane_lines(48), 1U);
  EXPECT_EQ(lane_lines(49), 2U);
  EXPECT_EQ(lane_lines(112), 2U);
  EXPECT_EQ(lane_lines(113), 3U);
  EXPECT_EQ(lane_longest(4), 48U);
  EXPECT_EQ(lane_longest(64), 1008U);
}

/// As something does that writes where it should not: nothing is read beyond the lane.
TEST(Lane, ARecordThatReachesBeyondTheLaneIsNone) {
  Lane lane(16);
  ASSERT_TRUE(lane.send({1, 2, 3, false}, "abc"));
  ASSERT_TRUE(lane.receiver.peek().has_value());
  lane.receiver.pop();
  lane.lines[1].state = lane_words::message({1, 2, 14 * kCacheLine + 48, false});
  EXPECT_TRUE(lane.receiver.peek().has_value());
  lane.lines[1].state = lane_words::message({1, 2, 14 * kCacheLine + 49, false});
  EXPECT_FALSE(lane.receiver.peek().has_value());
}

TEST(Lane, KeepsAllOfAHeader) {
  Lane lane(16);
  const std::vector<LaneHeader> headers{{0, 0, 0, false},
                                        {~std::uint64_t{0}, ~std::uint32_t{0}, 200, false},
                                        {7, 8, 9, true},
                                        {std::uint64_t{1} << 63U, std::uint32_t{1} << 31U, 1, false}};
  for (const LaneHeader& header : headers) ASSERT_TRUE(lane.send(header, std::string(header.bytes, 'x')));
  for (const LaneHeader& header : headers) {
    const auto found = lane.receiver.peek();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->header, header);
    lane.receiver.pop();
  }
  EXPECT_FALSE(lane.receiver.peek().has_value());
  EXPECT_EQ(lane_words::header(lane_words::message({0, 5, lane_words::kMostBytes, false}), 0),
            (LaneHeader{0, 5, lane_words::kMostBytes, false}));
}

TEST(Lane, IsFullWithOneLineLeft) {
  Lane lane(4);
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(lane.send({0, i, 1, false}, "a"));
  EXPECT_FALSE(lane.send({0, 3, 1, false}, "b"));
  EXPECT_EQ(lane.receiver.peek()->header.tag, 0U);
  EXPECT_FALSE(lane.send({0, 3, 1, false}, "b")) << "looked at, and not popped";
  lane.receiver.pop();
  EXPECT_TRUE(lane.send({0, 3, 1, false}, "b"));
  EXPECT_FALSE(lane.send({0, 4, 1, false}, "c"));
}

/// Otherwise each would touch lines that no cache has any more, and at first pages that were not there yet.
TEST(Lane, MessagesThatAreSoonReadStayInItsFirstLines) {
  using Sender = LaneSender<>;
  Lane lane(8 * Sender::kMostTurn);
  const auto furthest = [&](std::size_t bytes, int ahead) {
    const std::string data(bytes, 'd');
    std::ptrdiff_t line = 0;
    int sent = 0;
    int read = 0;
    while (read < 20'000) {
      if (sent < read + ahead) {
        EXPECT_TRUE(lane.send({0, 0, static_cast<std::uint32_t>(bytes), false}, data));
        ++sent;
        continue;
      }
      const auto found = lane.receiver.peek();
      EXPECT_TRUE(found.has_value());
      const auto* const place = reinterpret_cast<const LaneLine<>*>(found->data - offsetof(LaneLine<>, data));
      line = std::max(line, place - lane.lines.data());
      lane.receiver.pop();
      ++read;
    }
    while (lane.receiver.peek()) lane.receiver.pop();
    return static_cast<std::size_t>(line);
  };
  EXPECT_EQ(furthest(8, 1), Sender::kFirstTurn - 1);
  EXPECT_EQ(furthest(1000, 1) / Sender::kShortRecord, 3U);
  EXPECT_LT(furthest(2000, 1), 2 * Sender::kFirstTurn + 32);
  EXPECT_GT(furthest(8, 2), 7 * Sender::kMostTurn) << "it never finds the lane empty";
}

/// Behind a record that turned, until it is read, only as many lines as before the turn.
TEST(Lane, TurnsLaterOnceARecordHasFoundNoRoom) {
  using Sender = LaneSender<>;
  for (const std::size_t bytes : {8U, 1000U, 4000U, 6000U}) {
    Lane lane(8 * Sender::kMostTurn);
    const std::string data(bytes, 'd');
    const LaneHeader header{0, 0, static_cast<std::uint32_t>(bytes), false};
    for (const int expected : {2, 6, 14, 30, 62, 62}) {
      const LaneLine<>* place = nullptr;
      for (bool turned = false; !turned;) {
        while (lane.receiver.peek()) lane.receiver.pop();
        ASSERT_TRUE(lane.send(header, data));
        const auto* const next =
            reinterpret_cast<const LaneLine<>*>(lane.receiver.peek()->data - offsetof(LaneLine<>, data));
        turned = next < place;
        place = next;
      }
      int room = 0;
      while (lane.send(header, data)) ++room;
      EXPECT_GE(room, expected) << bytes;
    }
  }
}

/// Only the first of two that are read together finds the lane empty, and here it is never in the line of the turn.
TEST(Lane, PairsOfMessagesStayInItsFirstLinesToo) {
  Lane lane(8 * LaneSender<>::kMostTurn);
  const auto read_all = [&] {
    std::ptrdiff_t line = 0;
    while (const auto found = lane.receiver.peek()) {
      line = reinterpret_cast<const LaneLine<>*>(found->data - offsetof(LaneLine<>, data)) - lane.lines.data();
      lane.receiver.pop();
    }
    return line;
  };
  ASSERT_TRUE(lane.send({0, 0, 8, false}, "12345678"));
  read_all();
  for (int start = 0; start < 10'000; ++start) {
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(lane.send({0, 0, 8, false}, "12345678"));
    ASSERT_LE(read_all(), static_cast<std::ptrdiff_t>(LaneSender<>::kFirstTurn));
  }
}

/// The turn was short messages' own, and they found room.
TEST(Lane, TurnsLaterOnceALongMessageBehindShortOnesHasFoundNoRoom) {
  Lane lane(8 * LaneSender<>::kMostTurn);
  const std::string data(4096, 'l');
  const auto send_short = [&] { ASSERT_TRUE(lane.send({0, 0, 8, false}, "12345678")); };
  send_short();
  int without_room = 0;
  for (int start = 0; start < 1000; ++start) {
    for (std::size_t i = 1; i < LaneSender<>::kFirstTurn; ++i) {
      send_short();
      while (lane.receiver.peek()) lane.receiver.pop();
    }
    send_short();  // turns, as it finds the lane empty
    without_room += lane.send({0, 1, 4096, false}, data) ? 0 : 1;
    while (lane.receiver.peek()) lane.receiver.pop();
  }
  EXPECT_LE(without_room, 2);
}

/// An operation with a short message and a long one: one that turned would leave no room for the other.
TEST(Lane, ShortMessagesBesideLongOnesLeaveRoomForThem) {
  Lane lane(8 * LaneSender<>::kMostTurn);
  const std::string longest(65536, 'l');
  for (int start = 0; start < 100; ++start) {
    ASSERT_TRUE(lane.send({0, 0, 8, false}, "12345678")) << start;
    ASSERT_TRUE(lane.send({0, 1, 65536, false}, longest)) << start;
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(lane.receiver.peek());
      lane.receiver.pop();
    }
  }
}

TEST(Lane, WhatIsReservedAndNotPublishedIsForgotten) {
  Lane lane(12);
  const std::string longest(lane_longest(12), 'l');
  for (int begin = 0; begin < 12; ++begin) {
    ASSERT_NE(lane.sender.try_reserve(longest.size()), nullptr);
    EXPECT_FALSE(lane.receiver.peek().has_value());
    ASSERT_NE(lane.sender.try_reserve(1), nullptr);
    ASSERT_TRUE(lane.send({1, 2, 3, false}, "abc"));
    ASSERT_EQ(text(lane.receiver.peek().value()), "abc");
    lane.receiver.pop();
    EXPECT_FALSE(lane.receiver.peek().has_value());
  }
}

/// Data that look like the states of records wherever the next one may begin.
TEST(Lane, DataOfAnEarlierLapAreNoRecord) {
  for (std::size_t count = 8; count < 30; ++count) {
    Lane lane(count);
    std::vector<std::uint64_t> states(lane_longest(count) / 8);
    for (std::size_t i = 0; i < states.size(); ++i)
      states[i] = i % 3 == 0 ? lane_words::kSkip : lane_words::message({});
    const std::string longest(reinterpret_cast<const char*>(states.data()), 8 * states.size());
    for (std::size_t i = 0; i < 10 * count; ++i) {
      const std::string data = longest.substr(0, i * 40 % (longest.size() + 1));
      ASSERT_TRUE(lane.send({i, 0, static_cast<std::uint32_t>(data.size()), false}, data));
      const auto found = lane.receiver.peek();
      ASSERT_TRUE(found.has_value());
      ASSERT_EQ(found->header.context, i);
      ASSERT_EQ(text(*found), data);
      lane.receiver.pop();
      ASSERT_FALSE(lane.receiver.peek().has_value());
    }
  }
}

/// Random messages through lanes of every size, beside a queue that has as much room as it likes.
TEST(Lane, IsAQueue) {
  std::mt19937_64 random(20'24);
  for (std::size_t count = 4; count <= 40; ++count) {
    Lane lane(count);
    std::deque<std::pair<LaneHeader, std::string>> expected;
    std::size_t sent = 0;
    std::size_t waited = 0;
    const auto drive = [&](std::size_t send_of_eight) {
      if (random() % 8 < send_of_eight) {
        const std::size_t longest =
            random() % 4 == 0 ? lane_longest(count) : std::min<std::size_t>(lane_longest(count), 60);
        std::string data(random() % (longest + 1), '\0');
        for (char& one : data) one = static_cast<char>(random() % 4);  // often what looks like a state
        const LaneHeader header{random(), static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(data.size()),
                                random() % 8 == 0};
        if (lane.send(header, data)) {
          expected.emplace_back(header, data);
          ++sent;
        } else {
          ++waited;
          ASSERT_FALSE(expected.empty()) << "an empty lane of " << count << " lines has no room";
        }
        return;
      }
      const auto found = lane.receiver.peek();
      ASSERT_EQ(found.has_value(), !expected.empty());
      if (!found) return;
      ASSERT_EQ(found->header, expected.front().first);
      ASSERT_EQ(text(*found), expected.front().second);
      if (random() % 4 == 0) return;  // left for later
      lane.receiver.pop();
      expected.pop_front();
    };
    for (int step = 0; step < 30'000; ++step) {
      drive(step / 1000 % 2 == 0 ? 6 : 3);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(sent, 5'000U);
    EXPECT_GT(waited, 1'000U);
  }
}

}  // namespace
}  // namespace rondo::internal::lane_test
