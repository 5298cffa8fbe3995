#include "runtime/execution/claim_transport.hpp"

#include <gtest/gtest.h>

#include "runtime/execution/slot_transport.hpp"
#include "tests/support/claiming_ends.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace rondo::internal::claim_transport_test {
namespace {

using test::ClaimingEnd;

class ClaimTransportTest : public ::testing::Test, protected test::ClaimingEnds {
 protected:
  void SetUp() override {
    make({{0, 1, 0, 20000}, {1, 0, 0, 20000}});
    connect();
    ASSERT_EQ(a->ways(), "cc");
  }
  static bool arrived(const ClaimingEnd& end, const ClaimingEnd& from) {
    return std::equal(end.received.begin(), end.received.begin() + 20000, from.sent.begin());
  }
  static bool untouched(const ClaimingEnd& end) {
    return std::ranges::all_of(end.received, [](std::byte one) { return one == std::byte{0}; });
  }
  SlotTransport& slots_of(ClaimingEnd& end) { return *end.transport.slots(); }
};

TEST_F(ClaimTransportTest, WhoComesSecondCopiesForBoth) {
  for (int start = 0; start < 4; ++start) {
    ClaimingEnd& first = start % 2 == 0 ? *a : *b;
    ClaimingEnd& second = start % 2 == 0 ? *b : *a;
    fill(start);
    first.start();
    EXPECT_EQ(first.poll(), 0U);
    EXPECT_EQ(slots_of(first).in_flight(), 2U);
    EXPECT_TRUE(untouched(*a) && untouched(*b));
    second.start();
    EXPECT_TRUE(arrived(*a, *b) && arrived(*b, *a)) << "the first need not do anything";
    EXPECT_TRUE(first.execution.active());
    EXPECT_EQ(second.poll(), 2U);
    EXPECT_FALSE(second.execution.active());
    EXPECT_EQ(first.poll(), 2U);
    EXPECT_FALSE(first.execution.active());
    EXPECT_EQ(slots_of(first).in_flight() + slots_of(second).in_flight(), 0U);
  }
}

/// One is in the next start already when the other looks.
TEST_F(ClaimTransportTest, OneEndMayBeAStartAhead) {
  fill(1);
  a->start();
  b->start();
  EXPECT_EQ(b->poll(), 2U);
  b->start();
  EXPECT_EQ(a->poll(), 2U);
  EXPECT_FALSE(a->execution.active());
  EXPECT_EQ(b->poll(), 0U) << "the other has not come to that start";
  fill(2);
  a->start();
  run_to_the_end();
  EXPECT_TRUE(arrived(*a, *b) && arrived(*b, *a));
}

TEST_F(ClaimTransportTest, MessagesInFlightAreNamed) {
  a->start();
  SlotTransport& slots = slots_of(*a);
  ASSERT_EQ(slots.in_flight(), 2U);
  std::array<bool, 2> named{};
  for (std::size_t place = 0; place < 2; ++place) {
    EXPECT_EQ(slots.in_flight_at(place).execution, &a->execution);
    const Task& task = a->execution.schedule().tasks()[slots.in_flight_at(place).task];
    EXPECT_TRUE(a->execution.is_shared(task));
    named[task.kind == TaskKind::send ? 0 : 1] = true;
  }
  EXPECT_TRUE(named[0] && named[1]);
  b->start();
  run_to_the_end();
}

/// The receiver of one that has failed fails, the sender to one does not; the next start is a good one.
TEST_F(ClaimTransportTest, FailuresReachTheReceiver) {
  for (int start = 0; start < 4; ++start) {
    fill(start);
    std::vector<Route> routes(2);
    a->connection().route(routes);
    // As an execution does that has failed: all that it posts stands for messages.
    for (std::size_t number = 0; number < 2; ++number)
      slots_of(*a).arrive(a->execution, a->execution.message(static_cast<std::uint32_t>(number)), *routes[number].claim,
                          true);
    b->start();
    while (b->execution.active()) static_cast<void>(b->poll());
    ASSERT_TRUE(b->execution.failure());
    EXPECT_EQ(b->execution.failure()->code, kPartnerFailed);
    EXPECT_EQ(b->execution.schedule().tasks()[b->execution.failure()->task].kind, TaskKind::receive);
    EXPECT_TRUE(untouched(*a) && untouched(*b));
    EXPECT_EQ(over_a.poll().size(), 2U);
    fill(start + 10);
    a->start();
    b->start();
    run_to_the_end();
    EXPECT_FALSE(a->execution.failure() || b->execution.failure());
    EXPECT_TRUE(arrived(*a, *b) && arrived(*b, *a));
  }
}

/// Given up at a timeout: its memory may be used again at once.
TEST_F(ClaimTransportTest, NobodyCopiesWhatWasGivenUp) {
  for (const bool partner_came : {false, true}) {
    SetUp();
    fill(1);
    std::vector<Route> routes(2);
    b->connection().route(routes);
    a->start();
    if (partner_came) {  // and has not copied yet
      for (const Route& route : routes) route.claim->end.arrive(false);
    }
    EXPECT_TRUE(slots_of(*a).abandon(a->execution));
    EXPECT_EQ(slots_of(*a).in_flight(), 0U);
    if (!partner_came) {
      for (const Route& route : routes) route.claim->end.arrive(false);
    }
    for (const Route& route : routes) {
      EXPECT_FALSE(route.claim->end.try_take());
      EXPECT_EQ(route.claim->end.look(), ClaimState::failed);
    }
    EXPECT_TRUE(untouched(*a) && untouched(*b));
    a->execution.complete_rest();
  }
}

/// The partner goes on with it, for all that is known: the array must stay.
TEST_F(ClaimTransportTest, ArraysStayThatAPartnerIsInTheMiddleOfCopyingTo) {
  fill(1);
  std::vector<Route> routes(2);
  b->connection().route(routes);
  a->start();
  for (const Route& route : routes) route.claim->end.arrive(false);
  ASSERT_TRUE(routes[0].claim->end.try_take());
  a->execution.abandon(MPI_ERR_OTHER, "given up");
  EXPECT_EQ(slots_of(*a).in_flight(), 0U);
  EXPECT_EQ(a->execution.connection(), nullptr) << "it holds the array for good";
  routes[0].claim->end.finish();
}

}  // namespace
}  // namespace rondo::internal::claim_transport_test
