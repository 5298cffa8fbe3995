// Messages between arrays, from what ends tell each other to data over several starts.
#include "runtime/claims/claim_pair.hpp"

#include <gtest/gtest.h>

#include "tests/support/claiming_ends.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::claim_pair_test {
namespace {

using test::Arrays;
using test::bytes_of;
using test::ClaimingEnd;
using test::ListedMessage;
using test::schedule_of;

/// Short, long, and longer than any slot; each way.
const std::vector<ListedMessage> kMessages{{0, 1, 0, 8},     {1, 0, 0, 8},      {0, 1, 1, 8192},
                                           {1, 0, 1, 10000}, {0, 1, 2, 300000}, {1, 0, 2, 300000}};

class ClaimPairTest : public ::testing::Test, protected test::ClaimingEnds {
 protected:
  void expect_an_exchange(int seed) {
    fill(seed);
    a->start();
    b->start();
    run_to_the_end();
    EXPECT_FALSE(a->execution.failure());
    EXPECT_FALSE(b->execution.failure());
    for (ClaimingEnd* end : {&*a, &*b}) {
      const ClaimingEnd& other = end == &*a ? *b : *a;
      const Schedule& schedule = end->execution.schedule();
      for (std::uint32_t number = 0; number < schedule.messages().size(); ++number) {
        const Task& task = schedule.tasks()[schedule.messages()[number]];
        if (task.kind != TaskKind::receive) continue;
        EXPECT_EQ(bytes_of(*end, number), bytes_of(other, send_of(other, task.tag))) << "tag " << task.tag;
      }
    }
  }
  static std::uint32_t send_of(const ClaimingEnd& end, std::uint32_t tag) {
    const Schedule& schedule = end.execution.schedule();
    for (std::uint32_t number = 0; number < schedule.messages().size(); ++number) {
      const Task& task = schedule.tasks()[schedule.messages()[number]];
      if (task.kind == TaskKind::send && task.tag == tag) return number;
    }
    return 0;
  }
  [[nodiscard]] std::ptrdiff_t claimed(char way = 'c') {
    const std::string of_a = a->ways();
    EXPECT_EQ(std::ranges::count(of_a, 'c'), std::ranges::count(b->ways(), 'c'));
    return std::ranges::count(of_a, way);
  }
};

TEST_F(ClaimPairTest, LongMessagesAreClaimedWhereBothEndsAreArrays) {
  make(kMessages);
  connect();
  EXPECT_EQ(a->ways(), "rccscc");
  EXPECT_EQ(b->ways(), "rccscc");
  EXPECT_EQ(a->connection().claimed(), 4U);
  EXPECT_TRUE(a->connection().obstacles().empty());
  for (int start = 0; start < 5; ++start) expect_an_exchange(start);
  EXPECT_EQ(network.unmatched(), 0U);
}

TEST_F(ClaimPairTest, ScatteredMessagesGoFromLayoutToLayout) {
  shortest = 4;  // of pieces, too
  const std::vector<ListedMessage> messages{{0, 1, 0, 8192}, {1, 0, 0, 8192}, {0, 1, 1, 100000}, {1, 0, 1, 40000}};
  for (const auto& [spread_a, spread_b] : {std::pair(true, true), {true, false}, {false, true}}) {
    make(messages, Arrays::both, Arrays::both, spread_a, spread_b);
    connect();
    EXPECT_EQ(claimed(), 4);
    for (int start = 0; start < 3; ++start) expect_an_exchange(start);
  }
}

TEST_F(ClaimPairTest, WhereOneEndIsNoArrayMessagesGoAnotherWay) {
  for (const auto& [of_a, of_b, expected] : {std::tuple(Arrays::both, Arrays::none, 0),
                                             {Arrays::none, Arrays::both, 0},
                                             {Arrays::send, Arrays::recv, 2},
                                             {Arrays::recv, Arrays::send, 2},
                                             {Arrays::send, Arrays::send, 0},
                                             {Arrays::both, Arrays::recv, 2}}) {
    make(kMessages, of_a, of_b);
    connect();
    EXPECT_EQ(claimed(), expected);
    EXPECT_EQ(claimed('-'), (4 - expected) / 2) << "what is too long for slots";
    for (int start = 0; start < 3; ++start) expect_an_exchange(start);
    EXPECT_TRUE(a->connection().obstacles().empty()) << "that is nothing strange";
  }
}

TEST_F(ClaimPairTest, OneWayOnly) {
  for (const bool forward : {true, false}) {
    make({{forward ? 0 : 1, forward ? 1 : 0, 4, 20000}});
    connect();
    EXPECT_EQ(claimed(), 1);
    for (int start = 0; start < 3; ++start) expect_an_exchange(start);
  }
}

TEST_F(ClaimPairTest, DifferentSizesAreNotClaimed) {
  a.emplace(schedule_of(std::vector<ListedMessage>{{0, 1, 0, 20000}, {1, 0, 0, 20000}}, 0), 0, over_a, Arrays::both);
  b.emplace(schedule_of(std::vector<ListedMessage>{{0, 1, 0, 20001}, {1, 0, 0, 20000}}, 1), 1, over_b, Arrays::both);
  connect();
  EXPECT_EQ(claimed(), 1);
}

TEST_F(ClaimPairTest, MessagesOfOneTagAreNotClaimed) {
  make({{0, 1, 0, 20000}, {0, 1, 0, 20000}, {1, 0, 0, 20000}});
  connect();
  EXPECT_EQ(claimed(), 1);
}

TEST_F(ClaimPairTest, WhereOneEndDoesNotReadNothingIsClaimed) {
  make(kMessages);
  offer();
  a->partner().theirs.claims.bytes = 0;
  answer_and_settle();
  EXPECT_EQ(claimed(), 0);
  for (int start = 0; start < 3; ++start) expect_an_exchange(start);
}

/// What the partner says is not taken on trust.
TEST_F(ClaimPairTest, NoticesThatCannotBeRightAreRefused) {
  const auto refused = [&](const auto& change) {
    make(kMessages);
    offer();
    change(a->partner().theirs.claims);
    answer_and_settle();
    EXPECT_EQ(claimed(), 0);
    for (int start = 0; start < 2; ++start) expect_an_exchange(start);
  };
  refused([](ClaimOffer& of) { of.region += 8; });
  refused([](ClaimOffer& of) { of.region = of.segment.size; });
  refused([](ClaimOffer& of) { of.region = ~std::uint64_t{63}; });
  refused([](ClaimOffer& of) { of.bytes = of.segment.size; });
  refused([](ClaimOffer& of) { of.bytes = 64; });
  refused([](ClaimOffer& of) { of.segment.nonce[1] ^= 1; });
  refused([](ClaimOffer& of) { of.segment.descriptor = 999; });
}

/// One word changed at a time: nothing outside the partner's arrays is touched, whatever stands there.
TEST_F(ClaimPairTest, ChangedNoticesHarmNobody) {
  constexpr std::int64_t kChanges[] = {-1, 0, 1, 64, 1'000'000, std::int64_t{1} << 62U};
  shortest = 4;
  std::size_t words = 1;
  std::uint64_t number = 0;
  for (std::size_t word = 0; word < words; ++word) {
    for (const std::int64_t change : kChanges) {
      if (!taken(number++, 5)) continue;
      make({{0, 1, 0, 20000}, {1, 0, 0, 20000}}, Arrays::both, Arrays::both, true, true);
      offer();
      const ClaimOffer& claims = a->partner().theirs.claims;
      // As this process is the partner, too, its memory is found by the card.
      NodeCard self = a->partner().theirs.node;
      PartnerSegments segments;
      const auto segment = segments.map(self, claims.segment);
      ASSERT_TRUE(segment);
      std::byte* const region = segment->data() + claims.region;
      std::uint64_t at = 0;
      std::uint64_t count = 0;
      std::memcpy(&at, region + 8, sizeof at);
      std::memcpy(&count, region + 16, sizeof count);
      words = count;
      std::memcpy(region + at + word * 8, &change, sizeof change);
      answer_and_settle();
      EXPECT_LE(a->connection().claimed(), 2U);
    }
  }
  EXPECT_GT(words, 30U);
}

TEST_F(ClaimPairTest, ShortPiecesTakeSlotsWhereTheyFit) {
  make({{0, 1, 0, 20000}, {1, 0, 0, 300000}, {0, 1, 1, 20000}}, Arrays::both, Arrays::both, true, false);
  connect();
  EXPECT_EQ(a->ways(), "css");
  EXPECT_EQ(b->ways(), "rrc");
  for (int start = 0; start < 3; ++start) expect_an_exchange(start);
}

TEST_F(ClaimPairTest, ManyPieces) {
  shortest = 4;
  // Too many words for a notice: every piece has another distance from the one before.
  const auto schedule = [](int rank) {
    ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
    Layout layout;
    for (std::int64_t i = 0; i < 3000; ++i) layout.append({i * i % 97 + i * 200, 8, 1, 0});
    const BlockId out = builder.block(Space::send, 0, builder.keep(layout));
    const BlockId in = builder.block(Space::recv, 0, builder.keep(std::move(layout)));
    builder.exchange(1 - rank, 1 - rank, 0, {&out, 1}, {&in, 1});
    return std::make_shared<const Schedule>(std::move(builder).build());
  };
  a.emplace(schedule(0), 0, over_a, Arrays::both);
  b.emplace(schedule(1), 1, over_b, Arrays::both);
  connect();
  EXPECT_EQ(claimed(), 0);
  for (int start = 0; start < 2; ++start) expect_an_exchange(start);
}

/// Memory that was freed stays until the operation is gone, and then goes.
TEST_F(ClaimPairTest, ArraysOutliveTheirOwners) {
  const std::size_t before = AllocatedMemory::process().arrays();
  make(kMessages);
  connect();
  std::byte* const freed = a->allocated_recv.data();
  a->allocated_recv = {};
  std::vector<Array<std::byte>> others;
  for (int i = 0; i < 10; ++i) {
    others.emplace_back(ClaimingEnd::kBytes);
    EXPECT_NE(others.back().data(), freed);
  }
  expect_an_exchange(1);
  others.clear();
  a.reset();
  b.reset();
  EXPECT_EQ(AllocatedMemory::process().arrays(), before);
}

}  // namespace
}  // namespace rondo::internal::claim_pair_test
