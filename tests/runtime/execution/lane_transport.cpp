// Two virtual ranks with lanes in heap memory beside a simulated network, driven by one thread.
#include "runtime/execution/lane_transport.hpp"

#include <gtest/gtest.h>

#include "runtime/execution/node_transport.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/captured_errors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace rondo::internal::lane_transport_test {
namespace {

using Node = NodeTransport<LoopbackTransport>;

/// Two ranks with a lane of `lines` lines each way, and two communicators. `room`: lines for an operation.
struct Pair {
  explicit Pair(std::size_t lines, std::uint64_t seed = 1, std::uint32_t room = 1'000'000) : network(2, seed) {
    for (std::size_t from = 0; from < 2; ++from) {
      memory[from] = std::vector<LaneLine<>>(lines);
      lanes[from].sender.emplace(memory[from], &consumed[from]);
      lanes[from].detours_there = &detours[from];
      lanes[1 - from].receiver.emplace(memory[from], &consumed[from]);
      lanes[1 - from].detours_here = &detours[from];
    }
    for (int rank = 0; rank < 2; ++rank) {
      nodes.push_back(std::make_unique<Node>(network.transport(rank)));
      for (std::uint64_t comm = 0; comm < 2; ++comm) {
        tables.push_back(std::make_unique<LaneTable>(2));
        tables.back()->at(1 - rank) = {&lanes[static_cast<std::size_t>(rank)], 70 + comm, 1024, 1024, room, room};
      }
    }
  }
  [[nodiscard]] Node& node(int rank) { return *nodes[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] Lane& lane(int rank) { return lanes[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] LaneTable& table(int rank, int comm) { return *tables[static_cast<std::size_t>(2 * rank + comm)]; }
  std::size_t poll(int rank) {
    const std::span<const Completion> completions = node(rank).poll();
    for (const Completion& completion : completions) completion.execution->complete(completion.task, completion.code);
    return completions.size();
  }

  LoopbackNetwork network;
  std::array<std::vector<LaneLine<>>, 2> memory;
  std::array<SharedWord, 2> consumed{};
  std::array<SharedWord, 2> detours{};
  std::array<Lane, 2> lanes;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<LaneTable>> tables;
};

/// What one rank sends and receives in one operation: messages of so many bytes, each with a tag of its own.
struct Side {
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> received;
  bool in_pieces = false;  ///< each is half a message, a hole, and the other half, and travels as a datatype
};

std::int64_t place_of(const std::vector<std::int64_t>& sizes, std::size_t i) {
  std::int64_t place = 0;
  for (std::size_t k = 0; k < i; ++k) place += sizes[k] + 8;
  return place;
}

std::vector<BlockId> blocks_of(ScheduleBuilder& builder, Space space, std::int64_t place, std::int64_t bytes,
                               bool in_pieces) {
  if (!in_pieces || bytes < 2) return {builder.block(space, place, bytes)};
  const std::int64_t half = bytes / 2;
  return {builder.block(space, place, half), builder.block(space, place + half + 3, bytes - half)};
}

/// An operation of one rank with its buffers, on a communicator.
class Flight {
 public:
  Flight(Pair& pair, int rank, int comm, int first_tag, const Side& side)
      : side_(side),
        sent_(static_cast<std::size_t>(place_of(side.sent, side.sent.size()))),
        received_(static_cast<std::size_t>(place_of(side.received, side.received.size()))) {
    ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
    for (std::size_t i = 0; i < side.received.size(); ++i)
      builder.receive(1 - rank, static_cast<std::uint32_t>(i),
                      blocks_of(builder, Space::recv, place_of(side.received, i), side.received[i], side.in_pieces));
    for (std::size_t i = 0; i < side.sent.size(); ++i)
      builder.send(1 - rank, static_cast<std::uint32_t>(i),
                   blocks_of(builder, Space::send, place_of(side.sent, i), side.sent[i], side.in_pieces));
    const MPI_Comm communicator = comm == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF;  // only compared
    execution_ = std::make_unique<Execution>(std::make_shared<const Schedule>(std::move(builder).build()),
                                             pair.node(rank), communicator, first_tag);
    execution_->use_lanes(pair.table(rank, comm));
  }
  /// `value`: of the first byte of what is sent.
  void start(int value) {
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = static_cast<unsigned char>(value + static_cast<int>(i));
    std::ranges::fill(received_, static_cast<unsigned char>(0));
    execution_->bind(sent_.data(), received_.data());
    execution_->announce();
    execution_->start();
  }
  [[nodiscard]] Execution& execution() { return *execution_; }
  /// Whether all has come that the partner, with equal places, has sent as `value`.
  [[nodiscard]] bool has_all(int value) const {
    for (std::size_t i = 0; i < side_.received.size(); ++i) {
      const auto begin = static_cast<std::size_t>(place_of(side_.received, i));
      const auto size = static_cast<std::size_t>(side_.received[i]);
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t at = begin + k + (side_.in_pieces && size >= 2 && k >= size / 2 ? 3 : 0);
        if (received_[at] != static_cast<unsigned char>(value + static_cast<int>(at))) return false;
      }
    }
    return true;
  }

 private:
  Side side_;
  std::vector<unsigned char> sent_;
  std::vector<unsigned char> received_;
  std::unique_ptr<Execution> execution_;
};

/// Passes on both ranks, in turn, until neither has anything in flight; false when that never happens.
bool drive(Pair& pair) {
  for (int vain = 0; vain < 100000;) {
    if (pair.node(0).in_flight() == 0 && pair.node(1).in_flight() == 0) return true;
    vain = pair.poll(0) + pair.poll(1) > 0 ? 0 : vain + 1;
  }
  return false;
}

TEST(LaneTransport, ShortMessagesGoThroughLanesAndOthersDoNot) {
  Pair pair(64);
  Flight left(pair, 0, 0, 0, {{8, 1024, 1025, 40000}, {8, 1024, 1025, 40000}});
  Flight right(pair, 1, 0, 0, {{8, 1024, 1025, 40000}, {8, 1024, 1025, 40000}});
  for (int repetition = 0; repetition < 20; ++repetition) {
    left.start(repetition);
    EXPECT_EQ(pair.network.unmatched(), 4U) << "two sends and two receives";
    EXPECT_EQ(pair.node(0).in_flight(), 8U);
    right.start(repetition + 100);
    ASSERT_TRUE(drive(pair));
    EXPECT_TRUE(left.has_all(repetition + 100));
    EXPECT_TRUE(right.has_all(repetition));
    EXPECT_FALSE(left.execution().failure() || right.execution().failure());
  }
  EXPECT_TRUE(pair.lane(0).drained.empty());
}

/// Both ends see the same messages in the same order, so that none looks in a lane for what the other sends over MPI.
TEST(LaneTransport, AsManyMessagesOfAnOperationTakeALaneAsHaveRoomTogether) {
  for (const std::uint32_t room : {0U, 1U, 7U, 20U, 100U}) {
    Pair pair(64, 1, room);
    const std::vector<std::int64_t> sizes{8, 1024, 300, 48, 1000};  // 1, 17, 5, 1 and 16 lines
    const std::vector<std::int64_t> back{40, 40};
    Flight first(pair, 0, 0, 0, {sizes, back});
    Flight second(pair, 1, 0, 0, {back, sizes});
    std::uint32_t lines = 0;
    std::vector<bool> expected;
    for (const std::int64_t size : sizes) {
      const auto more = static_cast<std::uint32_t>(lane_lines(static_cast<std::size_t>(size)));
      expected.push_back(lines + more <= room);
      if (expected.back()) lines += more;
    }
    const auto in_lane = [](Flight& of, TaskKind kind) {
      std::vector<bool> marks;
      for (const Task& task : of.execution().schedule().tasks()) {
        if (task.kind == kind) marks.push_back(of.execution().message(task.message).in_lane != 0);
      }
      return marks;
    };
    EXPECT_EQ(in_lane(first, TaskKind::send), expected) << room;
    EXPECT_EQ(in_lane(second, TaskKind::receive), expected) << room;
    for (int start = 1; start < 4; ++start) {
      first.start(start);
      second.start(start + 100);
      while (first.execution().active() || second.execution().active()) {
        pair.poll(0);
        pair.poll(1);
      }
      EXPECT_TRUE(second.has_all(start));
      EXPECT_TRUE(first.has_all(start + 100));
    }
    EXPECT_EQ(pair.lane(0).detours_sent, 0U) << room;
  }
}

TEST(LaneTransport, ScatteredMessagesMeetTheirLikeAndOthers) {
  for (const bool also_there : {true, false}) {
    Pair pair(64);
    const std::vector<std::int64_t> sizes{2, 700, 1};
    Flight left(pair, 0, 0, 0, {sizes, {}, true});
    Flight right(pair, 1, 0, 0, {{}, sizes, also_there});
    left.start(5);
    right.start(0);
    EXPECT_EQ(pair.network.unmatched(), 0U) << "all in lanes";
    ASSERT_TRUE(drive(pair));
    if (also_there) {
      EXPECT_TRUE(right.has_all(5));
    }
    EXPECT_FALSE(right.execution().failure());
  }
}

/// The receiver is elsewhere: what finds no room goes over the network, and the sender is not held up.
TEST(LaneTransport, ASenderNeverWaitsForRoom) {
  Pair pair(16);
  std::vector<std::unique_ptr<Flight>> sends;
  std::vector<std::unique_ptr<Flight>> receives;
  for (int i = 0; i < 100; ++i) {
    sends.push_back(std::make_unique<Flight>(pair, 0, 0, i, Side{{100}, {}}));
    receives.push_back(std::make_unique<Flight>(pair, 1, 0, i, Side{{}, {100}}));
    sends.back()->start(i);
  }
  EXPECT_GT(pair.network.unmatched(), 80U);
  EXPECT_FALSE(pair.node(0).in_flight_at(0).is_near) << "a detour is over the network";
  for (auto& receive : receives) receive->start(0);
  for (std::size_t place = 0; place < pair.node(1).in_flight(); ++place)
    EXPECT_TRUE(pair.node(1).in_flight_at(place).is_near) << "all wait at the lane";
  int passes = 0;
  for (; pair.node(1).in_flight() > 0 && passes < 3000; ++passes) pair.poll(1);
  EXPECT_LT(passes, 3000) << "it sees that there are detours, and searches for them one after the other";
  ASSERT_TRUE(drive(pair));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(receives[static_cast<std::size_t>(i)]->has_all(i)) << i;
}

/// A stray write of a program: nobody waits in silence for what can never be read.
TEST(LaneTransport, WhatWaitsAtAnOverwrittenLaneFails) {
  constexpr std::size_t kLines = 16;
  Pair pair(kLines);
  Flight receive(pair, 1, 0, 0, Side{{}, {100, 100}});
  receive.start(0);
  pair.memory[0][0].state = lane_words::message({70, 0, 2 * kLines * kCacheLine, false});
  const CapturedErrors errors;
  pair.poll(1);
  EXPECT_FALSE(receive.execution().active());
  ASSERT_TRUE(receive.execution().failure());
  EXPECT_EQ(receive.execution().failure()->code, MPI_ERR_INTERN);
  expect_words(errors.text(), {"memory that is shared with rank 0", "was overwritten"});
}

/// They must not pass each other, as one through a lane and one over the network might.
TEST(LaneTransport, MessagesThatShareATagTakeTheNetwork) {
  Pair pair(64);
  std::array<unsigned char, 3> sent{1, 2, 3};
  std::array<unsigned char, 3> received{};
  std::vector<std::unique_ptr<Execution>> ends;
  for (int rank = 0; rank < 2; ++rank) {
    ScheduleBuilder builder;
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::uint32_t tag = i < 2 ? 0 : 1;
      if (rank == 0)
        builder.send(1, tag, blocks_of(builder, Space::send, i, 1, false));
      else
        builder.receive(0, tag, blocks_of(builder, Space::recv, i, 1, false));
    }
    ends.push_back(std::make_unique<Execution>(std::make_shared<const Schedule>(std::move(builder).build()),
                                               pair.node(rank), MPI_COMM_WORLD, 0));
    ends.back()->use_lanes(pair.table(rank, 0));
    ends.back()->bind(sent.data(), received.data());
  }
  for (const auto& end : ends) {
    end->announce();
    end->start();
    EXPECT_EQ(pair.network.unmatched(), end == ends.front() ? 2U : 0U) << "the third has a tag of its own";
  }
  ASSERT_TRUE(drive(pair));
  EXPECT_EQ(received, sent);
}

/// A message that nobody waits for does not hide the one behind it.
TEST(LaneTransport, MessagesOfTwoCommunicatorsPassEachOther) {
  Pair pair(64);
  Flight one_sent(pair, 0, 0, 3, {{500, 20}, {}});
  Flight other_sent(pair, 0, 1, 3, {{500, 20}, {}});
  Flight one_received(pair, 1, 0, 3, {{}, {500, 20}});
  Flight other_received(pair, 1, 1, 3, {{}, {500, 20}});
  for (int repetition = 0; repetition < 10; ++repetition) {
    one_sent.start(10);
    other_sent.start(20);
    other_received.start(0);
    while (other_received.execution().active()) pair.poll(1);
    EXPECT_TRUE(other_received.has_all(20));
    EXPECT_EQ(pair.lane(1).drained.size(), 2U);
    one_received.start(0);
    EXPECT_EQ(pair.node(1).in_flight(), 2U);
    ASSERT_TRUE(drive(pair));
    EXPECT_TRUE(one_received.has_all(10));
    EXPECT_TRUE(pair.lane(1).drained.empty());
    EXPECT_EQ(pair.lane(1).spare.size(), 2U) << "memory is used again";
  }
}

struct Misfit {
  std::int64_t sent;
  std::int64_t received;
  int error_class;
  const char* words;
};

/// Whichever way the two ends of a message take, sizes that differ are an error of today's words.
TEST(LaneTransport, SizesThatDifferAreErrorsAsWithoutLanes) {
  for (const auto& [sent, received, error_class, words] :
       {Misfit{8, 16, MPI_ERR_COUNT, "shorter than the 16"}, Misfit{16, 8, MPI_ERR_TRUNCATE, "longer than the 8"},
        Misfit{8, 5000, MPI_ERR_COUNT, "shorter than the 5000"}, Misfit{5000, 8, MPI_ERR_TRUNCATE, "longer than the 8"},
        Misfit{6000, 5000, MPI_ERR_TRUNCATE, "longer than the 5000"}}) {
    for (const bool receiver_first : {true, false}) {
      Pair pair(64);
      Flight left(pair, 0, 0, 0, {{4, sent, 4}, {}});
      Flight right(pair, 1, 0, 0, {{}, {4, received, 4}});
      (receiver_first ? right : left).start(0);
      (receiver_first ? left : right).start(0);
      ASSERT_TRUE(drive(pair)) << sent << " and " << received;
      EXPECT_FALSE(left.execution().failure());
      ASSERT_TRUE(right.execution().failure()) << sent << " and " << received;
      EXPECT_EQ(right.execution().failure_class(), error_class);
      EXPECT_NE(right.execution().describe_failure().find(words), std::string::npos)
          << right.execution().describe_failure();
      EXPECT_TRUE(right.execution().usable());
      EXPECT_FALSE(pair.node(1).wait_all(false, false) && pair.node(1).in_flight() > 0);
    }
  }
}

/// Then it is tried again, and what lies in the lane is not lost.
TEST(LaneTransport, AReceiveThatTheNetworkDoesNotGiveBackStillEnds) {
  Pair pair(64);
  pair.network.keep_receives(3);
  Flight left(pair, 0, 0, 0, {{4, 8}, {}});
  Flight right(pair, 1, 0, 0, {{}, {4, 5000}});
  left.start(0);
  right.start(0);
  ASSERT_TRUE(drive(pair));
  ASSERT_TRUE(right.execution().failure());
  EXPECT_EQ(right.execution().failure()->code, kShortMessage);
  EXPECT_TRUE(pair.lane(1).drained.empty());
}

/// It was not counted as one, so there is still one to be searched for.
TEST(LaneTransport, AMessageThatIsTooLongIsNoDetour) {
  Pair pair(16);
  Flight too_long(pair, 0, 0, 0, {{5000}, {}});
  too_long.start(0);
  std::vector<std::unique_ptr<Flight>> sends;
  while (pair.lane(0).detours_sent == 0) {
    const int number = static_cast<int>(sends.size()) + 1;
    sends.push_back(std::make_unique<Flight>(pair, 0, 0, number, Side{{100}, {}}));
    sends.back()->start(number);
  }
  Flight misfit(pair, 1, 0, 0, {{}, {8}});
  misfit.start(0);
  while (misfit.execution().active()) pair.poll(1);
  EXPECT_TRUE(misfit.execution().failure());
  EXPECT_EQ(pair.lane(1).detours_found, 0U);
  const int last = static_cast<int>(sends.size());
  Flight detour(pair, 1, 0, last, {{}, {100}});
  detour.start(0);
  int passes = 0;
  for (; detour.execution().active() && passes < 3000; ++passes) pair.poll(1);
  EXPECT_LT(passes, 3000) << "it is searched for";
  EXPECT_EQ(pair.lane(1).detours_found, 1U);
  for (int number = 1; number < last; ++number) {
    Flight other(pair, 1, 0, number, {{}, {100}});
    other.start(0);
    ASSERT_TRUE(drive(pair));
    EXPECT_TRUE(other.has_all(number));
  }
  EXPECT_TRUE(detour.has_all(last));
}

/// Nobody waits inside the network where what it waits for may lie in a lane.
TEST(LaneTransport, DoesNotBlockWhereALaneHasToBeWatched) {
  Pair pair(64);
  Flight watching(pair, 0, 0, 0, {{}, {5000}});
  EXPECT_TRUE(watching.execution().watches_lanes());
  Flight sending(pair, 0, 0, 1, {{5000, 8}, {}});
  EXPECT_FALSE(sending.execution().watches_lanes());
}

TEST(LaneTransport, AFailureIsToldThroughLanes) {
  Pair pair(64);
  Flight left(pair, 0, 0, 0, {{8, 8, 3000}, {8}});
  Flight right(pair, 1, 0, 0, {{8}, {8, 8, 3000}});
  pair.network.set_fault({LoopbackNetwork::Fault::Of::post, 0, 0});  // the long message
  left.start(0);
  right.start(0);
  ASSERT_TRUE(drive(pair));
  EXPECT_TRUE(left.execution().failure());
  ASSERT_TRUE(right.execution().failure());
  EXPECT_NE(right.execution().describe_failure().find("rank 0 failed earlier"), std::string::npos);
}

TEST(LaneTransport, WhatIsPostedInFailureFailsThePartner) {
  for (const std::size_t lines : {64U, 4U}) {  // 4: no room, so that it takes the network
    Pair pair(lines);
    Flight left(pair, 0, 0, 0, {{40, 40, 40, 40, 40, 40}, {}});
    Flight right(pair, 1, 0, 0, {{}, {40, 40, 40, 40, 40, 40}});
    std::array<char, 400> memory{};
    left.execution().bind(memory.data(), memory.data());
    for (std::uint32_t number = 0; number < 6; ++number)
      EXPECT_EQ(pair.node(0).post_in_failure(left.execution(), left.execution().message(number), nullptr), MPI_SUCCESS);
    right.start(0);
    while (right.execution().active()) {
      pair.poll(1);
      static_cast<void>(pair.node(0).poll());
    }
    ASSERT_TRUE(right.execution().failure());
    EXPECT_EQ(right.execution().failure()->code, kPartnerFailed);
  }
}

TEST(LaneTransport, WhatIsAbandonedIsNotReported) {
  Pair pair(64);
  Flight given_up(pair, 1, 0, 0, {{}, {8, 8, 8}});
  Flight other(pair, 1, 0, 3, {{}, {8, 8}});
  given_up.start(0);
  other.start(0);
  EXPECT_EQ(pair.node(1).in_flight(), 5U);
  given_up.execution().abandon(MPI_ERR_OTHER, "enough");
  EXPECT_EQ(pair.node(1).in_flight(), 2U);
  for (std::size_t place = 0; place < 2; ++place)
    EXPECT_EQ(pair.node(1).in_flight_at(place).execution, &other.execution());
  Flight late(pair, 0, 0, 0, {{8, 8, 8}, {}});
  Flight sent(pair, 0, 0, 3, {{8, 8}, {}});
  late.start(1);
  sent.start(2);
  ASSERT_TRUE(drive(pair));
  EXPECT_TRUE(other.has_all(2));
  EXPECT_EQ(pair.lane(1).drained.size(), 3U) << "they are kept for the communicator's life";
}

/// Messages for communicators that are gone are dropped, so that they do not add up.
TEST(LaneTransport, DropsWhatIsForNobody) {
  Pair pair(64);
  const auto send_one = [&](std::uint64_t context, std::uint32_t tag) {
    std::byte* const to = pair.lane(0).sender->try_reserve(8);
    ASSERT_NE(to, nullptr);
    std::fill_n(to, 8, std::byte{1});
    pair.lane(0).sender->publish({context, tag, 8, false});
  };
  Flight receiving(pair, 1, 0, 0, {{}, {8}});
  for (std::uint32_t i = 0; i < 1000; ++i) {
    receiving.start(0);
    send_one(1234, i);  // of no communicator
    send_one(71, i % 7 == 0 ? i : 0);
    send_one(70, 0);
    ASSERT_TRUE(drive(pair));
  }
  const auto of_nobody =
      std::ranges::count_if(pair.lane(1).drained, [](const auto& kept) { return kept.header.context == 1234; });
  EXPECT_LE(of_nobody, 1064);
  EXPECT_GE(pair.lane(1).drained.size(), 1000U) << "those that may still be received are there";
  pair.tables[3].reset();
  for (std::uint32_t i = 0; i < 3000; ++i) {
    receiving.start(0);
    send_one(1234, i);
    send_one(70, 0);
    ASSERT_TRUE(drive(pair));
  }
  EXPECT_LE(pair.lane(1).drained.size(), 2200U);
}

/// Operations on two communicators, in another order on each rank, of all sizes, in lanes that are often full.
TEST(LaneTransport, RandomProgramsEnd) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](std::uint64_t bound) { return static_cast<int>(random() % bound); };
    Pair pair(std::size_t{16} << draw(4), seed);
    struct Operation {
      std::array<std::unique_ptr<Flight>, 2> flights;
      std::array<bool, 2> started{};
    };
    std::vector<Operation> operations(static_cast<std::size_t>(1 + draw(12)));
    int tag = 0;
    for (Operation& operation : operations) {
      std::array<std::vector<std::int64_t>, 2> sizes;  // of what each rank sends
      for (auto& of_rank : sizes) {
        for (int i = draw(6); i > 0; --i) of_rank.push_back(1 + draw(draw(3) == 0 ? 3000 : 200));
      }
      const int comm = draw(2);
      const bool in_pieces = draw(3) == 0;
      operation.flights[0] = std::make_unique<Flight>(pair, 0, comm, tag, Side{sizes[0], sizes[1], in_pieces});
      operation.flights[1] = std::make_unique<Flight>(pair, 1, comm, tag, Side{sizes[1], sizes[0], in_pieces});
      tag += 6;
    }
    for (int repetition = 0; repetition < 3; ++repetition) {
      for (Operation& operation : operations) operation.started = {};
      for (std::size_t left = 2 * operations.size(); left > 0;) {
        const auto rank = static_cast<std::size_t>(draw(2));
        const auto chosen = static_cast<std::size_t>(draw(operations.size()));
        if (draw(3) == 0) pair.poll(static_cast<int>(rank));
        if (std::exchange(operations[chosen].started[rank], true)) continue;
        operations[chosen].flights[rank]->start(static_cast<int>(chosen) + 50 * repetition +
                                                100 * static_cast<int>(rank));
        --left;
      }
      ASSERT_TRUE(drive(pair)) << "RONDO_SEED=" << seed;
      for (std::size_t i = 0; i < operations.size(); ++i) {
        for (std::size_t rank = 0; rank < 2; ++rank) {
          Flight& flight = *operations[i].flights[rank];
          ASSERT_FALSE(flight.execution().failure()) << seed << ": " << flight.execution().describe_failure();
          ASSERT_TRUE(flight.has_all(static_cast<int>(i) + 50 * repetition + 100 * static_cast<int>(1 - rank))) << seed;
        }
      }
      EXPECT_EQ(pair.network.unmatched(), 0U);
      EXPECT_TRUE(pair.lane(0).drained.empty() && pair.lane(1).drained.empty());
    }
  }
}

}  // namespace
}  // namespace rondo::internal::lane_transport_test
