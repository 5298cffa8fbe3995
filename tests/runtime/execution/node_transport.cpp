#include "runtime/execution/node_transport.hpp"

#include <gtest/gtest.h>

#include "runtime/execution/connection.hpp"
#include "tests/support/cases/listed_messages.hpp"
#include "tests/support/networks/fake_network.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal::node_transport_test {
namespace {

using test::ListedMessage;
using test::schedule_of;

/// Rank 0 with three messages each way to rank 1, of which the second is too long for a slot, and the partner's end.
class NodeTransportTest : public ::testing::Test {
 protected:
  struct End {
    explicit End(int number) : rank(number), execution(schedule_of(kMessages, number), transport, MPI_COMM_NULL, 0) {
      execution.bind(sent.data(), received.data());
    }
    [[nodiscard]] Connection::Partner& partner() { return execution.connection()->partners().front(); }
    std::size_t poll() {
      const std::span<const Completion> completions = transport.poll();
      for (const Completion& it : completions) it.execution->complete(it.task, it.code);
      return completions.size();
    }
    void start() {
      execution.announce();
      execution.start();
    }
    int rank;
    FakeNetwork network;
    NodeTransport<FakeNetwork> transport{network};
    std::vector<std::byte> sent = std::vector<std::byte>(kLongestInSlot + 100);
    std::vector<std::byte> received = std::vector<std::byte>(kLongestInSlot + 100);
    Execution execution;
  };
  void connect() { connect_executions(own.execution, partner.execution); }

  static const std::vector<ListedMessage> kMessages;
  End own{0};
  End partner{1};
};
const std::vector<ListedMessage> NodeTransportTest::kMessages{
    {1, 0, 0, 8}, {1, 0, 1, kLongestInSlot + 1}, {1, 0, 2, 8},
    {0, 1, 0, 8}, {0, 1, 1, kLongestInSlot + 1}, {0, 1, 2, 8}};

TEST_F(NodeTransportTest, WithoutAConnectionEverythingTakesTheNetwork) {
  own.start();
  EXPECT_EQ(own.network.in_flight(), 6U);
  EXPECT_EQ(own.transport.slots()->in_flight(), 0U);
  EXPECT_EQ(own.transport.in_flight(), 6U);
  EXPECT_EQ(own.poll(), 6U);
  EXPECT_EQ(own.network.polls, 1);
  EXPECT_FALSE(own.execution.active());
  EXPECT_TRUE(own.transport.looked_into_network());
}

TEST_F(NodeTransportTest, EachMessageOfAPostTakesItsWay) {
  connect();
  own.network.completes = false;
  own.start();
  EXPECT_EQ(own.network.in_flight(), 2U);
  EXPECT_EQ(own.transport.slots()->in_flight(), 4U);
  ASSERT_EQ(own.transport.in_flight(), 6U);
  std::vector<bool> listed(own.execution.schedule().tasks().size());
  for (std::size_t place = 0; place < 6; ++place) {
    const InFlight it = own.transport.in_flight_at(place);
    EXPECT_EQ(it.execution, &own.execution);
    EXPECT_EQ(it.is_near, own.execution.schedule().tasks()[it.task].bytes == 8);
    EXPECT_FALSE(listed[it.task]);
    listed[it.task] = true;
  }
  EXPECT_EQ(own.poll(), 2U) << "both sends through slots";
  EXPECT_EQ(own.poll(), 0U);
  partner.start();
  EXPECT_EQ(own.poll(), 2U);
  EXPECT_EQ(own.network.in_flight(), 2U);
  own.network.completes = true;
  EXPECT_EQ(own.poll(), 2U);
  EXPECT_FALSE(own.execution.active());
  EXPECT_EQ(own.transport.in_flight(), 0U);
}

/// Also while every pass finds something in a slot.
TEST_F(NodeTransportTest, TheNetworkIsLookedIntoNowAndThen) {
  using Transport = decltype(own.transport);
  connect();
  own.transport.set_shared_cores(true);
  own.network.completes = false;
  own.network.good = 0;  // so that nothing is in flight there
  const Message message = own.execution.message(0);
  SlotTransport& slots = *own.transport.slots();
  std::array<SharedWord, 2> filled{};
  ReceiveChannel never{.slots = {{filled.data(), 1}, 2, nullptr}, .data = {}, .target = nullptr, .program = {}};
  slots.receive(own.execution, message, never);
  constexpr int kPasses = 100;
  for (const bool shared_cores : {false, true}) {
    own.transport.set_shared_cores(shared_cores);
    own.network.now += 2 * Transport::kTicksBetweenLooks;
    for (int pass = 0; pass < kPasses; ++pass) EXPECT_TRUE(own.transport.poll().empty());
    own.network.looks = 0;
    own.network.now += Transport::kTicksBetweenLooks;
    for (int pass = 0; pass < kPasses; ++pass) EXPECT_TRUE(own.transport.poll().empty());
    EXPECT_EQ(own.network.looks, 1) << "none before its time";
  }
  own.transport.set_shared_cores(false);
  own.network.looks = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    own.network.now += Transport::kTicksBetweenLooks;
    EXPECT_TRUE(own.transport.poll().empty());
  }
  EXPECT_EQ(own.network.looks, kPasses) << "in a long wait each pass yields the core, and takes that long";
  own.network.ticks_of_look = Transport::kTicksOfBusyLook;
  own.network.now += Transport::kTicksBetweenLooks;
  own.network.looks = 0;
  for (int pass = 0; pass < kPasses; ++pass) static_cast<void>(own.transport.poll());
  EXPECT_EQ(own.network.looks, kPasses) << "again at once while messages of others move";
  own.network.ticks_of_look = 0;
  static_cast<void>(own.transport.poll());
  // Now with something in a slot at every pass.
  std::array<SharedWord, 2> other_filled{};
  std::array<std::byte, 128> room{};
  SendChannel sends{.slots = {{other_filled.data(), 1}, 2, nullptr},
                    .data = {room.data(), 64},
                    .source = own.sent.data(),
                    .program = {}};
  slots.reserve(2);
  own.network.looks = 0;
  for (int looks = 1; looks <= 5; ++looks) {
    own.network.now += Transport::kTicksWithNews;
    for (int pass = 0; pass < kPasses; ++pass) {
      slots.send(own.execution, message, sends, false);
      EXPECT_EQ(own.transport.poll().size(), 1U);
    }
    EXPECT_EQ(own.network.looks, looks) << "who waits there for this rank must not wait for ever";
  }
  static_cast<void>(own.transport.slots()->abandon(own.execution));
  slots.release(2);
}

/// What is in flight there is asked for at every pass that finds nothing in slots, and at every 16th in any case.
TEST_F(NodeTransportTest, MessagesOverTheNetworkDoNotStarve) {
  connect();
  own.network.completes = false;
  own.start();
  EXPECT_EQ(own.poll(), 2U);
  own.network.polls = 0;
  for (int pass = 0; pass < 20; ++pass) EXPECT_EQ(own.poll(), 0U);
  EXPECT_EQ(own.network.polls, 20);
  EXPECT_TRUE(own.transport.looked_into_network());
  own.network.polls = 0;
  std::array<SharedWord, 2> filled{};
  std::array<std::byte, 128> room{};
  SendChannel sends{
      .slots = {{filled.data(), 1}, 2, nullptr}, .data = {room.data(), 64}, .source = own.sent.data(), .program = {}};
  const Message message = own.execution.message(0);
  for (int pass = 0; pass < 320; ++pass) {
    own.transport.slots()->send(own.execution, message, sends, false);
    static_cast<void>(own.transport.poll());
  }
  EXPECT_GE(own.network.polls, 20);
}

/// MPI would wait without a look at the slots.
TEST_F(NodeTransportTest, NobodyWaitsInTheNetworkWhileMessagesAreInSlots) {
  connect();
  own.start();
  EXPECT_FALSE(own.transport.wait_all(false, false));
  EXPECT_FALSE(own.transport.wait_all(true, false));
  EXPECT_EQ(own.network.waits, 0);
  own.network.completes = false;
  EXPECT_EQ(own.poll(), 2U);
  EXPECT_FALSE(own.transport.wait_all(false, false)) << "receives are in flight";
  partner.start();
  EXPECT_EQ(own.poll(), 2U);
  EXPECT_TRUE(own.transport.wait_all(false, false));
  EXPECT_EQ(own.network.waits, 1);
  own.execution.complete_rest();
}

/// As a wait in the network leaves them that has found a failure.
TEST_F(NodeTransportTest, NewsOfTheNetworkAreReportedWhileSlotsAreAwaited) {
  connect();
  own.network.completes = false;
  own.start();
  EXPECT_EQ(own.poll(), 2U);
  own.network.news.swap(own.network.posted);
  EXPECT_EQ(own.transport.in_flight(), 2U) << "receives at slots";
  EXPECT_EQ(own.poll(), 2U);
  static_cast<void>(own.transport.slots()->abandon(own.execution));
  own.execution.complete_rest();
}

TEST_F(NodeTransportTest, SaysWhetherThePassThatFoundNothingLookedIntoTheNetwork) {
  connect();
  std::array<SharedWord, 2> filled{};
  ReceiveChannel never{.slots = {{filled.data(), 1}, 2, nullptr}, .data = {}, .target = nullptr, .program = {}};
  own.transport.slots()->receive(own.execution, own.execution.message(0), never);
  int looked = 0;
  own.transport.set_shared_cores(true);
  for (int pass = 0; pass < 130; ++pass) {
    own.network.now += decltype(own.transport)::kTicksBetweenLooks / 64;
    static_cast<void>(own.transport.poll());
    looked += own.transport.looked_into_network() ? 1 : 0;
    EXPECT_EQ(looked, own.network.looks);
  }
  EXPECT_EQ(looked, 2);
  static_cast<void>(own.transport.slots()->abandon(own.execution));
}

/// A look holds up the partners: while messages come, short waits between them add up to none that is long.
TEST_F(NodeTransportTest, ShortWaitsAreNotInVain) {
  using Transport = decltype(own.transport);
  connect();
  own.transport.set_shared_cores(true);
  std::array<SharedWord, 4> filled{};
  std::array<std::byte, 128> room{};
  const Message message = own.execution.message(0);
  ReceiveChannel never{.slots = {{filled.data(), 1}, 2, nullptr}, .data = {}, .target = nullptr, .program = {}};
  SendChannel sends{.slots = {{filled.data() + 2, 1}, 2, nullptr},
                    .data = {room.data(), 64},
                    .source = own.sent.data(),
                    .program = {}};
  SlotTransport& slots = *own.transport.slots();
  slots.reserve(2);
  slots.receive(own.execution, message, never);
  own.network.good = 0;  // so that nothing is in flight there
  own.network.now += 2 * Transport::kTicksWithNews;
  for (int pass = 0; pass < 100; ++pass) static_cast<void>(own.transport.poll());
  own.network.looks = 0;
  for (int wait = 0; wait < 72; ++wait) {
    for (int pass = 0; pass < 3; ++pass) EXPECT_TRUE(own.transport.poll().empty());
    own.network.now += Transport::kTicksWithNews / 64;
    slots.send(own.execution, message, sends, false);
    EXPECT_EQ(own.transport.poll().size(), 1U);
  }
  EXPECT_EQ(own.network.looks, 1);
  static_cast<void>(slots.abandon(own.execution));
  slots.release(2);
}

/// Where much time passes until the next one.
TEST_F(NodeTransportTest, APassBeforeAPauseLooksIntoTheNetwork) {
  connect();
  std::array<SharedWord, 2> filled{};
  ReceiveChannel never{.slots = {{filled.data(), 1}, 2, nullptr}, .data = {}, .target = nullptr, .program = {}};
  own.transport.slots()->receive(own.execution, own.execution.message(0), never);
  for (int pass = 1; pass <= 3; ++pass) {
    own.transport.expect_pause();
    EXPECT_TRUE(own.transport.poll().empty());
    EXPECT_EQ(own.network.looks, pass);
    EXPECT_TRUE(own.transport.poll().empty());
    EXPECT_EQ(own.network.looks, pass) << "one pass only";
  }
  static_cast<void>(own.transport.slots()->abandon(own.execution));
}

/// The rest goes out as what stands for it, each by its own way, so that the partner is not left waiting.
TEST_F(NodeTransportTest, APostThatFailsInTheNetworkFailsTheRestOnBothWays) {
  connect();
  own.network.good = 1;  // its receive is posted, its send is not
  own.start();
  EXPECT_TRUE(own.execution.failure());
  EXPECT_TRUE(own.execution.usable());
  EXPECT_EQ(own.transport.in_flight(), 6U);
  partner.start();
  while (partner.poll() > 0) {
  }
  ASSERT_TRUE(partner.execution.failure());
  EXPECT_EQ(partner.execution.failure()->code, kPartnerFailed);
  EXPECT_EQ(partner.execution.describe_failure().find("rank 0 failed earlier in this operation") == std::string::npos,
            false)
      << partner.execution.describe_failure();
  while (own.poll() > 0) {
  }
  EXPECT_FALSE(own.execution.active());
  EXPECT_FALSE(partner.execution.active());
  own.network.good = -1;
  for (End* end : {&own, &partner}) end->start();
  for (int pass = 0; pass < 4; ++pass) {
    own.poll();
    partner.poll();
  }
  EXPECT_FALSE(own.execution.failure());
  EXPECT_FALSE(partner.execution.failure());
}

TEST_F(NodeTransportTest, AbandonGivesUpBothKinds) {
  connect();
  own.start();
  own.execution.abandon(MPI_ERR_OTHER, "given up");
  EXPECT_EQ(own.transport.in_flight(), 0U);
  EXPECT_FALSE(own.execution.active());
  EXPECT_FALSE(own.execution.usable());
  EXPECT_EQ(own.poll(), 0U);
}

TEST_F(NodeTransportTest, RoomIsReservedInTheNetworkForAll) {
  EXPECT_EQ(own.network.reserved, 6U) << "before it is known which way they take";
}

}  // namespace
}  // namespace rondo::internal::node_transport_test
