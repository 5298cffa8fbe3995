// Slots under every interleaving of their two ends, and every value that their memory orders let a load see. Each of
// those orders is needed: with one of them weakened, the same search finds data that are read or written too early.
#include "runtime/shared_memory/slot.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/shared_memory/memory_model.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace rondo::internal::slot_proof_test {
namespace {

using memory_model::at_random;
using memory_model::demand;
using memory_model::everything;
using memory_model::explore;
using memory_model::few_switches;
using memory_model::Finding;
using memory_model::Plain;
using memory_model::Search;
using memory_model::Word;

struct WeakPublish : SlotOrders {
  static constexpr std::memory_order publish = std::memory_order::relaxed;
};
struct WeakLook : SlotOrders {
  static constexpr std::memory_order look = std::memory_order::relaxed;
};
struct WeakGiveBack : SlotOrders {
  static constexpr std::memory_order give_back = std::memory_order::relaxed;
};
struct WeakMayFill : SlotOrders {
  static constexpr std::memory_order may_fill = std::memory_order::relaxed;
};

/// The starts that fail at a sender, as bits: such a one publishes without data.
using Failures = unsigned;

[[nodiscard]] constexpr bool fails(Failures failures, std::uint64_t start) { return ((failures >> start) & 1U) != 0; }

/// Slots of one receiver, the first two of which are used or all: two pieces of data each, the first and the last of a
/// message.
struct Slots {
  static constexpr std::uint32_t kMost = 4;
  std::array<Word, kMost> filled;
  std::array<std::array<Plain, 2>, kMost> data;
  Word consumed;
};

/// The sender's end, as an operation uses it.
template <typename Orders>
class Sender {
 public:
  Sender(Slots& slots, bool counted, std::uint32_t used = 2)
      : slots_(slots), end_({slots.filled.data(), 1}, used, counted ? &slots.consumed : nullptr) {}

  void send(std::uint64_t start, bool failed) {
    while (!end_.may_fill()) memory_model::yield();
    if (!failed) {
      for (Plain& piece : slots_.data[end_.slot()]) piece = start;
    }
    end_.publish(failed);
  }

 private:
  Slots& slots_;
  SlotSender<Word, Orders> end_;
};

template <typename Orders>
class Receiver {
 public:
  Receiver(Slots& slots, bool counted, std::uint32_t used = 2)
      : slots_(slots), end_({slots.filled.data(), 1}, used, counted ? &slots.consumed : nullptr) {}

  void receive(std::uint64_t start, bool failed) {
    SlotState arrival = end_.look();
    while (arrival == SlotState::none) {
      memory_model::yield();
      arrival = end_.look();
    }
    demand(arrival == (failed ? SlotState::failed : SlotState::whole), "what comes is the message of this start");
    if (!failed) {
      for (const Plain& piece : slots_.data[end_.slot()]) demand(piece == start, "the data are those of this start");
    }
    end_.give_back();
  }

 private:
  Slots& slots_;
  SlotReceiver<Word, Orders> end_;
};

/// One sender and one receiver, which counts what it has consumed.
template <typename Orders>
struct OneWay : rl::test_suite<OneWay<Orders>, 2> {
  inline static std::uint64_t starts = 0;
  inline static Failures failures = 0;
  inline static std::uint32_t used = 2;

  Slots slots;

  void thread(unsigned index) {
    Sender<Orders> sender(slots, true, used);
    Receiver<Orders> receiver(slots, true, used);
    for (std::uint64_t start = 1; start <= starts; ++start) {
      const bool failed = fails(failures, start);
      index == 0 ? sender.send(start, failed) : receiver.receive(start, failed);
    }
  }
};

template <typename Orders>
[[nodiscard]] Finding one_way(std::uint64_t starts, Failures failures, Search search = everything(),
                              std::uint32_t used = 2) {
  OneWay<Orders>::starts = starts;
  OneWay<Orders>::failures = failures;
  OneWay<Orders>::used = used;
  return explore<OneWay<Orders>>(search);
}

/// Two processes of one persistent operation, in which each sends the other a message in every start: nobody counts.
/// `Orders` are those of the messages from the second to the first, which also tell the first that its slots are free.
template <typename Orders>
struct BothWays : rl::test_suite<BothWays<Orders>, 2> {
  inline static std::uint64_t starts = 0;
  inline static Failures failures_of_first = 0;
  inline static Failures failures_of_second = 0;

  std::array<Slots, 2> of;  ///< by their receiver

  void thread(unsigned index) {
    if (index == 0) {
      run(Sender<SlotOrders>(of[1], false), Receiver<Orders>(of[0], false), failures_of_first, failures_of_second);
    } else {
      run(Sender<Orders>(of[0], false), Receiver<SlotOrders>(of[1], false), failures_of_second, failures_of_first);
    }
  }
  /// These starts, and the send of one more, which is the part of a start that trusts in the one before.
  static void run(auto sender, auto receiver, Failures mine, Failures partners) {
    for (std::uint64_t start = 1; start <= starts; ++start) {
      sender.send(start, fails(mine, start));
      receiver.receive(start, fails(partners, start));
    }
    sender.send(starts + 1, fails(mine, starts + 1));
  }
};

template <typename Orders>
[[nodiscard]] Finding both_ways(std::uint64_t starts, Failures of_first, Failures of_second,
                                Search search = everything()) {
  BothWays<Orders>::starts = starts;
  BothWays<Orders>::failures_of_first = of_first;
  BothWays<Orders>::failures_of_second = of_second;
  return explore<BothWays<Orders>>(search);
}

/// One process has the same data for two others, which read them in its memory, and each send it a message in every
/// start: nobody counts. These have no data. `Orders` are those of the messages from the last process.
template <typename Orders>
struct Published : rl::test_suite<Published<Orders>, 3> {
  inline static std::uint64_t starts = 0;

  std::array<Plain, 2> data;       ///< by turns
  std::array<Slots, 2> news;       ///< of them, by reader
  std::array<Slots, 2> of_reader;  ///< messages to who publishes

  void thread(unsigned index) {
    if (index == 0) {
      publish(Receiver<SlotOrders>(of_reader[0], false), Receiver<Orders>(of_reader[1], false));
    } else if (index == 1) {
      read(news[0], Sender<SlotOrders>(of_reader[0], false));
    } else {
      read(news[1], Sender<Orders>(of_reader[1], false));
    }
  }
  /// As in BothWays, one more start than readers.
  void publish(auto first, auto second) {
    SlotSender<Word> to_first({news[0].filled.data(), 1}, 2, nullptr);
    SlotSender<Word> to_second({news[1].filled.data(), 1}, 2, nullptr);
    for (std::uint64_t start = 1; start <= starts + 1; ++start) {
      data[to_first.slot()] = start;
      to_first.publish(false);
      to_second.publish(false);
      if (start > starts) return;
      first.receive(start, true);
      second.receive(start, true);
    }
  }
  void read(Slots& slots, auto sender) {
    SlotReceiver<Word> end({slots.filled.data(), 1}, 2, nullptr);
    for (std::uint64_t start = 1; start <= starts; ++start) {
      sender.send(start, true);
      while (end.look() == SlotState::none) memory_model::yield();
      demand(data[end.slot()] == start, "the data are those of this start");
      end.give_back();
    }
  }
};

template <typename Orders>
[[nodiscard]] Finding published(std::uint64_t starts, Search search) {
  Published<Orders>::starts = starts;
  return explore<Published<Orders>>(search);
}

constexpr Failures kNone = 0;
constexpr Failures kAll = ~0U;

/// All that can happen. The third start is the first one that needs credit.
TEST(SlotProof, ThreeStartsWithCountedCreditAnyOfWhichFail) {
  for (Failures failures = 0; failures < 16; failures += 2) {
    const Finding finding = one_way<SlotOrders>(3, failures);
    EXPECT_TRUE(finding.nothing()) << "failures " << failures << ": " << finding.story;
  }
}

/// All that can happen up to the first data that are written where others were.
TEST(SlotProof, TwoStartsWithImpliedCreditAndTheNextSend) {
  for (const auto& [of_first, of_second] : {std::pair(kNone, kNone), std::pair(kNone, kAll)}) {
    const Finding finding = both_ways<SlotOrders>(2, of_first, of_second);
    EXPECT_TRUE(finding.nothing()) << "failures " << of_first << " and " << of_second << ": " << finding.story;
  }
}

TEST(SlotProof, AnyStartWithImpliedCreditMayFail) {
  for (Failures of_first = 0; of_first < 16; of_first += 2) {
    for (Failures of_second = 0; of_second < 16; of_second += 2) {
      const Finding finding = both_ways<SlotOrders>(2, of_first, of_second, few_switches(3));
      EXPECT_TRUE(finding.nothing()) << "failures " << of_first << " and " << of_second << ": " << finding.story;
    }
  }
}

/// More starts are more than can be gone through: a thread that could go on stops at most four times; and at random,
/// where a load may see the value before the one before the newest.
TEST(SlotProof, FiveStarts) {
  constexpr Failures kSome = 1U << 2U | 1U << 3U;
  for (const Search search : {few_switches(4), at_random(200'000)}) {
    for (const Failures failures : {kNone, kSome}) {
      const Finding counted = one_way<SlotOrders>(5, failures, search);
      EXPECT_TRUE(counted.nothing()) << counted.story;
      const Finding implied = both_ways<SlotOrders>(4, failures, kNone, search);
      EXPECT_TRUE(implied.nothing()) << implied.story;
    }
  }
}

TEST(SlotProof, TheDataMustComeBeforeTheNewsOfThem) {
  EXPECT_TRUE(one_way<WeakPublish>(1, kNone).wrong_data());
  EXPECT_TRUE(one_way<WeakLook>(1, kNone).wrong_data());
  EXPECT_TRUE(both_ways<WeakPublish>(1, kNone, kNone).wrong_data());
  EXPECT_TRUE(both_ways<WeakLook>(1, kNone, kNone).wrong_data());
}

TEST(SlotProof, ASlotMustBeReadBeforeTheCountSaysSo) {
  EXPECT_TRUE(one_way<WeakGiveBack>(3, kNone).wrong_data());
  EXPECT_TRUE(one_way<WeakMayFill>(3, kNone).wrong_data());
  EXPECT_TRUE(one_way<WeakGiveBack>(2, kNone).nothing()) << "two starts need no credit";
  EXPECT_TRUE(one_way<WeakMayFill>(2, kNone).nothing()) << "two starts need no credit";
}

/// With four slots the fifth start is the first one that needs credit.
TEST(SlotProof, MoreSlots) {
  for (const Search search : {few_switches(3), at_random(100'000)}) {
    for (const Failures failures : {kNone, 1U << 2U}) {
      const Finding finding = one_way<SlotOrders>(6, failures, search, Slots::kMost);
      EXPECT_TRUE(finding.nothing()) << finding.story;
    }
  }
  EXPECT_TRUE(one_way<WeakGiveBack>(5, kNone, few_switches(3), Slots::kMost).wrong_data());
  EXPECT_TRUE(one_way<WeakGiveBack>(4, kNone, few_switches(3), Slots::kMost).nothing()) << "four need no credit";
}

/// The second process fails in every start: its messages have no data that could come too late, but they say that the
/// first one's slots are free.
TEST(SlotProof, ASlotMustBeReadBeforeTheNextMessageTheOtherWaySaysSo) {
  EXPECT_TRUE(both_ways<WeakPublish>(2, kNone, kAll).wrong_data());
  EXPECT_TRUE(both_ways<WeakLook>(2, kNone, kAll).wrong_data());
  EXPECT_TRUE(both_ways<WeakPublish>(1, kNone, kAll).nothing()) << "two sends need no credit";
  EXPECT_TRUE(both_ways<WeakLook>(1, kNone, kAll).nothing()) << "two sends need no credit";
}

/// All of them, and the last one is no less waited for than the first.
TEST(SlotProof, PublishedDataMustBeReadBeforeTheNextMessagesOfAllReadersSaySo) {
  for (const auto& [starts, search] : {std::pair(2, few_switches(2)), std::pair(3, at_random(50'000))}) {
    const Finding finding = published<SlotOrders>(static_cast<std::uint64_t>(starts), search);
    EXPECT_TRUE(finding.nothing()) << finding.story;
  }
  EXPECT_TRUE(published<WeakPublish>(2, few_switches(2)).wrong_data());
  EXPECT_TRUE(published<WeakLook>(2, few_switches(2)).wrong_data());
  EXPECT_TRUE(published<WeakPublish>(1, few_switches(2)).nothing()) << "two sends need no credit";
  EXPECT_TRUE(published<WeakLook>(1, few_switches(2)).nothing()) << "two sends need no credit";
}

}  // namespace
}  // namespace rondo::internal::slot_proof_test
