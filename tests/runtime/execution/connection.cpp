// Two ends of operations in one process, which tell each other by hand what ranks tell by messages.
#include "runtime/execution/connection.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/execution/execution.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "tests/support/cases/listed_messages.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::connection_test {
namespace {

using test::ListedMessage;
using test::schedule_of;

/// An operation on one of the two ranks, 0 and 1.
struct End {
  End(std::shared_ptr<const Schedule> schedule, int number, NodeTransport<LoopbackTransport>& over)
      : rank(number), transport(over), execution(std::move(schedule), over, MPI_COMM_NULL, 0) {
    execution.bind(sent.data(), received.data());
  }
  void offer(SharedMemory use = SharedMemory::on, std::span<const std::int64_t> nodes = {}) {
    execution.prepare_connection(std::make_unique<Connection>(execution, rank, use, ShortestMessages{}, nodes));
  }
  [[nodiscard]] Connection& connection() { return *execution.connection(); }
  [[nodiscard]] Connection::Partner& partner() { return connection().partners().front(); }
  /// By number of message: 's' or 'r' for those that have a channel, '-' for those that take the network.
  [[nodiscard]] std::string ways() {
    std::vector<Route> routes(execution.schedule().messages().size());
    connection().route(routes);
    std::string text;
    for (const Route& route : routes) text += route.send != nullptr ? 's' : route.receive != nullptr ? 'r' : '-';
    return text;
  }

  int rank;
  NodeTransport<LoopbackTransport>& transport;
  std::vector<std::byte> sent = std::vector<std::byte>(700000);
  std::vector<std::byte> received = std::vector<std::byte>(700000);
  Execution execution;
};

const std::vector<ListedMessage> kSymmetric{{0, 1, 0, 8}, {1, 0, 0, 500}, {0, 1, 1, 16000}, {1, 0, 2, 1}};

class ConnectionTest : public ::testing::Test {
 protected:
  /// Each rank's list, where they are not the same.
  void make(const std::vector<ListedMessage>& of_a, const std::vector<ListedMessage>& of_b, bool spread = false) {
    a.emplace(schedule_of(of_a, 0, spread), 0, over_a);
    b.emplace(schedule_of(of_b, 1, spread), 1, over_b);
  }
  void make(const std::vector<ListedMessage>& messages) { make(messages, messages); }
  void offer(SharedMemory use_a = SharedMemory::on, SharedMemory use_b = SharedMemory::on) {
    a->offer(use_a);
    b->offer(use_b);
  }
  void exchange_offers() {
    a->partner().theirs = b->partner().own;
    b->partner().theirs = a->partner().own;
  }
  void answer() {
    exchange_offers();
    a->connection().answer();
    b->connection().answer();
    a->partner().their_answer = b->partner().own_answer;
    b->partner().their_answer = a->partner().own_answer;
  }
  void settle() {
    a->connection().settle();
    b->connection().settle();
    a->execution.take_channels();
    b->execution.take_channels();
  }
  void connect() {
    offer();
    answer();
    settle();
  }
  /// One start of both, and whether all arrived, from either: only where both lists are the same.
  void expect_an_exchange(int seed) {
    const auto value = [&](int rank, std::size_t i) {
      return std::byte(static_cast<unsigned char>(static_cast<std::size_t>(seed) * 31 + i * 7 +
                                                  static_cast<std::size_t>(rank) * 101));
    };
    for (End* end : {&*a, &*b}) {
      for (std::size_t i = 0; i < end->sent.size(); ++i) end->sent[i] = value(end->rank, i);
      std::ranges::fill(end->received, std::byte{0});
    }
    for (End* end : {&*a, &*b}) {
      end->execution.announce();
      end->execution.start();
    }
    while (a->execution.active() || b->execution.active()) {
      for (NodeTransport<LoopbackTransport>* transport : {&over_a, &over_b}) {
        for (const Completion& completion : transport->poll())
          completion.execution->complete(completion.task, completion.code);
      }
    }
    EXPECT_FALSE(a->execution.failure());
    EXPECT_FALSE(b->execution.failure());
    for (End* end : {&*a, &*b}) {
      const End& other = end == &*a ? *b : *a;
      const Schedule& schedule = end->execution.schedule();
      for (std::uint32_t number = 0; number < schedule.messages().size(); ++number) {
        const Task& task = schedule.tasks()[schedule.messages()[number]];
        if (task.kind != TaskKind::receive) continue;
        EXPECT_EQ(bytes_of(*end, number), bytes_of(other, counterpart(other, task.tag))) << "tag " << task.tag;
      }
    }
  }
  /// More operations than there are regions so far: all that is free is taken. In whole or in part.
  bool somebody_else_gets(const Offer& of) {
    constexpr std::uint64_t kLeast = 2 * 16000;  // a region has two slots for the longest message

    Connection::reclaim();
    std::vector<std::unique_ptr<End>> others;
    bool found = false;
    for (int i = 0; i < 40; ++i) {
      others.push_back(std::make_unique<End>(schedule_of(kSymmetric, 1), 1, over_b));
      others.back()->offer();
      const Offer& taken = others.back()->partner().own;
      found = found ||
              (taken.segment == of.segment && taken.region < of.region + kLeast && of.region < taken.region + kLeast);
    }
    return found;
  }
  static std::uint32_t counterpart(const End& end, std::uint32_t tag) {
    const Schedule& schedule = end.execution.schedule();
    for (std::uint32_t number = 0; number < schedule.messages().size(); ++number) {
      const Task& task = schedule.tasks()[schedule.messages()[number]];
      if (task.kind == TaskKind::send && task.tag == tag) return number;
    }
    return 0;
  }
  static std::vector<std::byte> bytes_of(const End& end, std::uint32_t number) {
    const Message& message = end.execution.message(number);
    std::vector<std::byte> bytes;
    const Layout* layout = end.execution.layout_of(message);
    const auto append = [&](std::int64_t offset, std::int64_t length) {
      const auto* from = reinterpret_cast<const std::byte*>(reinterpret_cast<std::intptr_t>(message.address) + offset);
      bytes.insert(bytes.end(), from, from + length);
    };
    if (layout == nullptr)
      append(0, message.size);
    else
      layout->for_each_piece(append);
    return bytes;
  }

  LoopbackNetwork network{2, 1};
  NodeTransport<LoopbackTransport> over_a{network.transport(0)};
  NodeTransport<LoopbackTransport> over_b{network.transport(1)};
  std::optional<End> a;
  std::optional<End> b;
};

/// As far as it is known: 0 says nothing of a node.
TEST_F(ConnectionTest, RanksOfOtherNodesGetNoMemory) {
  const std::vector<std::vector<std::int64_t>> all_nodes{{}, {7, 7}, {0, 7}, {7, 0}, {7, 8}};
  for (const std::vector<std::int64_t>& nodes : all_nodes) {
    make(kSymmetric);
    a->offer(SharedMemory::on, nodes);
    b->offer();
    const bool elsewhere = nodes == all_nodes.back();
    EXPECT_EQ(a->partner().own.has_region, elsewhere ? 0U : 1U);
    answer();
    settle();
    EXPECT_EQ(b->ways(), elsewhere ? "rr--" : "rrss") << "what comes to it has its own memory";
  }
}

TEST_F(ConnectionTest, MessagesTakeSlotsWhereBothEndsCan) {
  make(kSymmetric);
  connect();
  EXPECT_EQ(a->ways(), "rrss");
  EXPECT_EQ(b->ways(), "rrss");
  EXPECT_TRUE(a->execution.connected());
  for (int start = 0; start < 5; ++start) expect_an_exchange(start);
  EXPECT_TRUE(a->connection().obstacles().empty());
  EXPECT_EQ(network.unmatched(), 0U);
}

TEST_F(ConnectionTest, LongMessagesAndThoseOfOneTagTakeTheNetworkBesideThem) {
  make({{0, 1, 0, 8}, {1, 0, 0, 300000}, {0, 1, 1, 16}, {1, 0, 1, 32}, {0, 1, 2, 8}, {0, 1, 3, 300000}});
  connect();
  EXPECT_EQ(std::ranges::count(a->ways(), '-'), 2);
  EXPECT_EQ(std::ranges::count(b->ways(), '-'), 2);
  for (int start = 0; start < 5; ++start) expect_an_exchange(start);
}

/// Without an answer, one way and the other.
TEST_F(ConnectionTest, AsymmetricPairs) {
  for (const bool forward : {true, false}) {
    make({{forward ? 0 : 1, forward ? 1 : 0, 4, 64}});
    connect();
    EXPECT_EQ(a->ways(), forward ? "s" : "r");
    EXPECT_EQ(b->ways(), forward ? "r" : "s");
    for (int start = 0; start < 5; ++start) expect_an_exchange(start);
    a.reset();
    b.reset();
  }
}

/// A sender completes one start less than a short message has slots. The start after these fills the last slot and
/// waits until the receiver gives one back.
TEST_F(ConnectionTest, ASlowReceiverHoldsItsSenderUp) {
  make({{0, 1, 0, 64}});
  connect();
  int starts = 0;
  for (int pass = 0; pass < 100; ++pass) {
    if (!a->execution.active()) {
      std::ranges::fill(a->sent, std::byte(static_cast<unsigned char>(++starts)));
      a->execution.announce();
      a->execution.start();
    }
    for (const Completion& completion : over_a.poll()) completion.execution->complete(completion.task, completion.code);
  }
  constexpr int kSlots = 16;
  EXPECT_EQ(starts, kSlots);
  for (int start = 1; start <= kSlots; ++start) {
    b->execution.announce();
    b->execution.start();
    for (const Completion& completion : over_b.poll()) completion.execution->complete(completion.task, completion.code);
    EXPECT_FALSE(b->execution.active());
    EXPECT_EQ(b->received.front(), std::byte(static_cast<unsigned char>(start)));
    for (const Completion& completion : over_a.poll()) completion.execution->complete(completion.task, completion.code);
  }
  EXPECT_FALSE(a->execution.active());
}

TEST_F(ConnectionTest, ScatteredMessages) {
  const std::vector<ListedMessage> spread{{0, 1, 0, 8}, {1, 0, 0, 500}, {0, 1, 1, 16000}, {1, 0, 2, 4}};
  make(spread, spread, true);
  connect();
  EXPECT_EQ(a->ways(), "rrss");
  EXPECT_NE(a->execution.layout_of(a->execution.message(0)), nullptr);
  for (int start = 0; start < 3; ++start) expect_an_exchange(start);
  // One end scattered, the other in one piece.
  a.emplace(schedule_of(spread, 0, true), 0, over_a);
  b.emplace(schedule_of(spread, 1, false), 1, over_b);
  connect();
  EXPECT_EQ(a->ways(), "rrss");
  for (int start = 0; start < 3; ++start) expect_an_exchange(start);
}

/// Such a message has absolute addresses, and begins nowhere else.
TEST_F(ConnectionTest, MessagesAcrossSpaces) {
  const auto schedule = [](int rank) {
    ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
    const BlockId transit = builder.transit(4);
    const std::vector first{builder.block(Space::send, 0, 4), builder.block(Space::send, 8, 4)};
    const std::vector arriving{transit, builder.block(Space::recv, 8, 4)};
    builder.exchange(1 - rank, 1 - rank, 0, first, arriving);
    const std::vector second{transit, builder.block(Space::send, 4, 4)};
    const std::vector last{builder.block(Space::recv, 4, 4), builder.block(Space::recv, 0, 4)};
    builder.exchange(1 - rank, 1 - rank, 1, second, last);
    return std::make_shared<const Schedule>(std::move(builder).build());
  };
  a.emplace(schedule(0), 0, over_a);
  b.emplace(schedule(1), 1, over_b);
  const Schedule& of_a = a->execution.schedule();
  ASSERT_TRUE(std::ranges::any_of(of_a.wire_layouts(), [](const WireLayout& it) { return !it.in_one_space(); }));
  connect();
  EXPECT_EQ(std::ranges::count(a->ways(), '-'), 0);
  for (int start = 0; start < 3; ++start) {
    for (End* end : {&*a, &*b}) {
      const std::array<int, 3> words{10 + end->rank, 20 + end->rank, 30 + start};
      std::memcpy(end->sent.data(), words.data(), sizeof words);
      end->execution.announce();
      end->execution.start();
    }
    while (a->execution.active() || b->execution.active()) {
      for (NodeTransport<LoopbackTransport>* transport : {&over_a, &over_b}) {
        for (const Completion& completion : transport->poll())
          completion.execution->complete(completion.task, completion.code);
      }
    }
    for (End* end : {&*a, &*b}) {
      std::array<int, 3> words{};
      std::memcpy(words.data(), end->received.data(), sizeof words);
      EXPECT_EQ(words, (std::array{20 + 1 - end->rank, 10 + end->rank, 30 + start}));
    }
  }
}

/// Today's errors about sizes stay MPI's; the other direction is not concerned.
TEST_F(ConnectionTest, DifferentSizesTakeTheNetworkAtBothEnds) {
  make({{0, 1, 0, 8}, {1, 0, 0, 8}}, {{0, 1, 0, 16}, {1, 0, 0, 8}});
  connect();
  EXPECT_EQ(a->ways(), "r-");
  EXPECT_EQ(b->ways(), "-s");
}

TEST_F(ConnectionTest, DifferentTagsTakeTheNetworkAtBothEnds) {
  make({{0, 1, 0, 8}, {1, 0, 0, 8}}, {{0, 1, 1, 8}, {1, 0, 0, 8}});
  connect();
  EXPECT_EQ(a->ways(), "r-");
  EXPECT_EQ(b->ways(), "-s");
}

/// One end thinks that there is an answer: it would not look at the count, the other would not keep it.
TEST_F(ConnectionTest, AnswersThatOneEndDoesNotKnowTakeTheNetwork) {
  make({{0, 1, 0, 8}, {1, 0, 5, 8}}, {{0, 1, 0, 8}});
  connect();
  EXPECT_EQ(a->ways(), "--");
  EXPECT_EQ(b->ways(), "-");
}

TEST_F(ConnectionTest, WhereOneEndIsOffBothTakeTheNetwork) {
  for (const bool first : {true, false}) {
    make(kSymmetric);
    offer(first ? SharedMemory::off : SharedMemory::on, first ? SharedMemory::on : SharedMemory::off);
    answer();
    settle();
    EXPECT_EQ(a->ways(), "----");
    EXPECT_EQ(b->ways(), "----");
    EXPECT_FALSE(a->execution.connected());
    expect_an_exchange(1);
  }
}

/// Only what the one receives is over the budget, and says why.
TEST_F(ConnectionTest, WhereOneEndHasNoMemoryThatDirectionTakesTheNetwork) {
  make(kSymmetric);
  offer();
  a->partner().own.has_region = 0;
  answer();
  settle();
  EXPECT_EQ(a->ways(), "--ss");
  EXPECT_EQ(b->ways(), "rr--");
  for (int start = 0; start < 3; ++start) expect_an_exchange(start);
}

TEST_F(ConnectionTest, WhatIsOverTheBudgetSaysSo) {
  std::vector<ListedMessage> messages;
  for (std::uint32_t tag = 0; tag < 600; ++tag) messages.push_back({0, 1, tag, 16000});
  b.emplace(schedule_of(messages, 1), 1, over_b);  // 600 * 2 * 16 KB
  b->offer();
  EXPECT_EQ(b->partner().own.has_region, 0U);
  ASSERT_EQ(b->connection().obstacles().size(), 1U);
  EXPECT_NE(b->connection().obstacles().front().reason.find("RONDO_SHM_BYTES"), std::string::npos);
}

/// Both ends leave the same messages to the network.
TEST_F(ConnectionTest, WhereLongMessagesAreOverTheBudgetShortOnesTakeSlots) {
  std::vector<ListedMessage> messages{{0, 1, 0, 8}, {0, 1, 1, 20000}, {1, 0, 0, 8}, {0, 1, 3, 16384}};
  for (std::uint32_t tag = 4; tag < 24; ++tag) messages.push_back({0, 1, tag, 262144});  // 20 * 2 * 256 KiB
  make(messages);
  connect();
  EXPECT_EQ(b->partner().own.longest, 16384);
  EXPECT_EQ(std::ranges::count(a->ways(), 's'), 2);
  EXPECT_EQ(std::ranges::count(b->ways(), 'r'), 2);
  EXPECT_EQ(std::ranges::count(a->ways(), 'r'), 1);
  ASSERT_EQ(b->connection().obstacles().size(), 1U);
  EXPECT_FALSE(b->connection().obstacles().front().expected);
}

TEST_F(ConnectionTest, OnAnotherNodeNothingIsSharedAndNothingSaid) {
  make(kSymmetric);
  offer();
  exchange_offers();
  for (End* end : {&*a, &*b}) {
    ++end->partner().theirs.node.boot_id;
    end->connection().answer();
    EXPECT_EQ(end->partner().own_answer, 0U);
    ASSERT_EQ(end->connection().obstacles().size(), 1U);
    EXPECT_TRUE(end->connection().obstacles().front().expected) << "that is nothing strange";
    end->partner().their_answer = 0;
    end->connection().settle();
    EXPECT_EQ(end->ways(), "----");
  }
}

TEST_F(ConnectionTest, LongMessagesTakeNoSlotsBetweenCaches) {
  make({{0, 1, 0, 8}, {1, 0, 0, kLongestBetweenCaches}, {0, 1, 1, kLongestBetweenCaches + 1}, {1, 0, 2, 16000}});
  offer();
  a->partner().own.node.cache = 1;
  b->partner().own.node.cache = 2;
  answer();
  settle();
  EXPECT_EQ(a->ways(), "r-s-");
  EXPECT_EQ(b->ways(), "r-s-");
  for (End* end : {&*a, &*b}) {
    ASSERT_EQ(end->connection().obstacles().size(), 1U);
    EXPECT_TRUE(end->connection().obstacles().front().expected);
  }
  for (int start = 0; start < 5; ++start) expect_an_exchange(start);
}

/// Then nothing needs a region, and others may have that memory.
TEST_F(ConnectionTest, LongMessagesAloneTakeNoMemoryBetweenCaches) {
  make({{0, 1, 0, kLongestBetweenCaches + 1}, {1, 0, 0, 16000}});
  offer();
  a->partner().own.node.cache = 1;
  b->partner().own.node.cache = 2;
  answer();
  EXPECT_EQ(a->partner().own_answer, 0U);
  EXPECT_EQ(b->partner().own_answer, 0U);
  settle();
  EXPECT_EQ(a->ways(), "--");
  EXPECT_TRUE(somebody_else_gets(a->partner().own));
}

/// Each names what keeps it from writing, once.
TEST_F(ConnectionTest, ObstaclesAreNamed) {
  const auto obstacle = [&](const auto& change) {
    make(kSymmetric);
    offer();
    exchange_offers();
    change(a->partner().theirs);
    a->connection().answer();
    a->connection().answer();
    EXPECT_EQ(a->partner().own_answer, 0U);
    const auto& all = a->connection().obstacles();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? "" : all.front().reason;
  };
  const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_TRUE(has(obstacle([](Offer& it) { it.node.node_name = 77; }), "RONDO_NODE"));
  EXPECT_TRUE(has(obstacle([](Offer& it) { ++it.node.user; }), "different users"));
  EXPECT_TRUE(has(obstacle([](Offer& it) { ++it.node.pid_namespace; }), "PID namespaces"));
  EXPECT_FALSE(obstacle([](Offer& it) { it.segment.descriptor = 999; }).empty());
  EXPECT_FALSE(obstacle([](Offer& it) { it.segment.nonce[0] ^= 1; }).empty());
  EXPECT_FALSE(obstacle([](Offer& it) { it.node.pid = -1; }).empty());
}

/// A region that does not lie in its segment is nobody's.
TEST_F(ConnectionTest, RegionsBeyondTheirSegmentAreRefused) {
  make(kSymmetric);
  offer();
  exchange_offers();
  const std::uint64_t size = a->partner().theirs.segment.size;
  for (const std::uint64_t region : {size, size - 64, size + 64, ~std::uint64_t{0} - 63}) {
    a->partner().theirs.region = region;
    a->connection().answer();
    EXPECT_EQ(a->partner().own_answer, 0U) << region;
  }
}

/// Where somebody writes may be nobody else's until he says that he is done.
TEST_F(ConnectionTest, ARegionIsUsedAgainAfterBothHaveClosedIt) {
  make(kSymmetric);
  connect();
  const Offer of_b = b->partner().own;
  EXPECT_FALSE(somebody_else_gets(of_b));
  b.reset();  // its owner is done with it, the other end is not
  EXPECT_FALSE(somebody_else_gets(of_b)) << "somebody may still write there";
  a.reset();
  EXPECT_TRUE(somebody_else_gets(of_b));
}

TEST_F(ConnectionTest, ARegionIsUsedAgainWhereTheWriterClosedFirst) {
  make(kSymmetric);
  connect();
  const Offer of_b = b->partner().own;
  a.reset();
  EXPECT_FALSE(somebody_else_gets(of_b)) << "its owner still reads there";
  b.reset();
  EXPECT_TRUE(somebody_else_gets(of_b));
}

/// What nobody took is free at once.
TEST_F(ConnectionTest, RegionsThatThePartnerDoesNotUseAreGivenBack) {
  make(kSymmetric);
  offer();
  const auto of_b = b->partner().own.region;
  b->connection().answer();
  b->partner().their_answer = 0;
  b->connection().settle();
  End next(schedule_of(kSymmetric, 1), 1, over_b);
  next.offer();
  EXPECT_EQ(next.partner().own.region, of_b);
  b.reset();
  End further(schedule_of(kSymmetric, 1), 1, over_b);
  further.offer();
  EXPECT_NE(further.partner().own.region, of_b) << "it was given back once, not twice";
}

/// As when another rank had no memory and the call fails everywhere.
TEST_F(ConnectionTest, AnOfferThatWasNeverMadeLeavesNothingBehind) {
  make(kSymmetric);
  b->offer();
  const auto of_b = b->partner().own.region;
  b.reset();
  End next(schedule_of(kSymmetric, 1), 1, over_b);
  next.offer();
  EXPECT_EQ(next.partner().own.region, of_b);
}

}  // namespace
}  // namespace rondo::internal::connection_test
