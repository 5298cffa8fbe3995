// Three ends of an allgather in one process: each sends its block to both others.
#include "runtime/routes/publishing.hpp"

#include <gtest/gtest.h>
#include <rondo/memory.hpp>

#include "runtime/execution/execution.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/lanes/process_memory.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::publishing_test {
namespace {

constexpr int kRanks = 3;
constexpr std::int64_t kBlock = 20000;

std::byte value(int rank, int start, std::size_t i) {
  return std::byte(static_cast<unsigned char>(static_cast<std::size_t>(rank * 71 + start * 13) + i * 7 + i / 251));
}

struct Form {
  std::int64_t block = kBlock;
  bool spread = false;  ///< every second piece of 4 bytes, as a datatype
  int silent = -1;      ///< a rank that receives and does not send
  bool arrays = false;  ///< all buffers are allocated arrays
};

std::shared_ptr<const Schedule> schedule_of(int rank, const Form& form) {
  ScheduleBuilder builder(Ordering::dependencies, form.spread ? MessageForm::datatype : MessageForm::automatic);
  const auto block = [&](Space space, std::int64_t number) {
    if (!form.spread) return builder.block(space, number * form.block, form.block);
    Layout layout;
    layout.append({0, 4, form.block / 4, 8});
    return builder.block(space, 2 * number * form.block, builder.keep(std::move(layout)));
  };
  const BlockId own = block(Space::send, 0);
  for (int partner = 0; partner < kRanks; ++partner) {
    if (partner == rank) continue;
    if (partner != form.silent) {
      const BlockId incoming = block(Space::recv, partner);
      builder.receive(partner, 0, {&incoming, 1});
    }
    if (rank != form.silent) builder.send(partner, 0, {&own, 1});
  }
  return std::make_shared<const Schedule>(std::move(builder).build());
}

struct End {
  End(int number, const Form& of, NodeTransport<LoopbackTransport>& over)
      : rank(number), form(of), transport(over), execution(schedule_of(number, of), over, MPI_COMM_NULL, 0) {
    const auto bytes = static_cast<std::size_t>(2 * form.block);
    if (form.arrays) {
      sent_array = Array<std::byte>(bytes);
      received_array = Array<std::byte>(kRanks * bytes);
      sent = sent_array.span();
      received = received_array.span();
    } else {
      sent_memory.resize(bytes);
      received_memory.resize(kRanks * bytes);
      sent = sent_memory;
      received = received_memory;
    }
    execution.bind(sent.data(), received.data());
  }
  [[nodiscard]] Connection& connection() { return *execution.connection(); }
  Connection::Partner& with(int partner) {
    return *std::ranges::find(connection().partners(), partner, &Connection::Partner::rank);
  }
  [[nodiscard]] std::size_t place(std::size_t i) const { return form.spread ? i / 4 * 8 + i % 4 : i; }

  int rank;
  Form form;
  NodeTransport<LoopbackTransport>& transport;
  Array<std::byte> sent_array;
  Array<std::byte> received_array;
  std::vector<std::byte> sent_memory;
  std::vector<std::byte> received_memory;
  std::span<std::byte> sent;
  std::span<std::byte> received;
  Execution execution;
};

class PublishingTest : public ::testing::Test {
 protected:
  void make(const Form& form = {}) {
    for (std::unique_ptr<End>& of : ends) of.reset();
    Connection::reclaim();
    for (int rank = 0; rank < kRanks; ++rank) make_one(rank, form);
  }
  void make_one(int rank, const Form& form) {
    End& end = *(ends[static_cast<std::size_t>(rank)] =
                     std::make_unique<End>(rank, form, *transports[static_cast<std::size_t>(rank)]));
    end.execution.prepare_connection(std::make_unique<Connection>(end.execution, rank, SharedMemory::on));
  }
  End& end(int rank) { return *ends[static_cast<std::size_t>(rank)]; }
  template <typename Visit>
  void for_each_partner(Visit visit) {
    for (const std::unique_ptr<End>& of : ends) {
      for (Connection::Partner& partner : of->connection().partners())
        visit(*of, partner, end(partner.rank).with(of->rank));
    }
  }
  void exchange_offers() {
    for_each_partner([](End&, Connection::Partner& own, Connection::Partner& other) { own.theirs = other.own; });
  }
  void answer_and_settle() {
    for (const std::unique_ptr<End>& of : ends) of->connection().answer();
    for_each_partner(
        [](End&, Connection::Partner& own, Connection::Partner& other) { own.their_answer = other.own_answer; });
    for (const std::unique_ptr<End>& of : ends) {
      of->connection().settle();
      of->execution.take_channels();
    }
  }
  void connect() {
    exchange_offers();
    answer_and_settle();
  }
  void expect_exchanges(int starts) {
    for (int start = 0; start < starts; ++start) {
      for (const std::unique_ptr<End>& of : ends) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(of->form.block); ++i)
          of->sent[of->place(i)] = value(of->rank, start, i);
        std::ranges::fill(of->received, std::byte{0xEE});
        of->execution.announce();
        of->execution.start();
      }
      const auto active = [](const std::unique_ptr<End>& of) { return of->execution.active(); };
      while (std::ranges::any_of(ends, active)) {
        for (const auto& transport : transports) {
          for (const Completion& it : transport->poll()) it.execution->complete(it.task, it.code);
        }
      }
      for_each_partner([&](End& of, Connection::Partner& partner, Connection::Partner&) {
        ASSERT_FALSE(of.execution.failure());
        if (partner.rank == of.form.silent) return;
        const std::size_t first = of.place(static_cast<std::size_t>(partner.rank * of.form.block));
        for (std::size_t i = 0; i < static_cast<std::size_t>(of.form.block); ++i)
          ASSERT_EQ(of.received[first + of.place(i)], value(partner.rank, start, i)) << "start " << start;
      });
    }
  }
  /// Whether some of what is free now is where an end publishes its data.
  static bool is_free(const PublishedOffer& offered) {
    Connection::reclaim();
    ProcessMemory& process = process_memory();
    const std::scoped_lock lock(process.mutex);
    std::vector<Region> all;
    bool found = false;
    while (const Attempt<Region> region = process.own.take(4096)) {
      all.push_back(*region);
      found = found || (process.own.card(region->segment) == offered.segment && region->offset <= offered.table &&
                        offered.table < region->offset + region->bytes);
    }
    for (const Region& region : all) process.own.give_back(region, {});
    return found;
  }

  LoopbackNetwork network{kRanks, 1};
  std::array<std::unique_ptr<NodeTransport<LoopbackTransport>>, kRanks> transports{
      std::make_unique<NodeTransport<LoopbackTransport>>(network.transport(0)),
      std::make_unique<NodeTransport<LoopbackTransport>>(network.transport(1)),
      std::make_unique<NodeTransport<LoopbackTransport>>(network.transport(2))};
  std::array<std::unique_ptr<End>, kRanks> ends;
};

TEST_F(PublishingTest, WhatTwoPartnersGetIsPackedOnce) {
  for (const std::int64_t block : {kShortestPublished, kBlock, kLongestInSlot}) {
    for (const bool spread : {false, true}) {
      make({.block = block, .spread = spread});
      connect();
      for (const std::unique_ptr<End>& of : ends) {
        EXPECT_EQ(of->execution.published_messages(), 2U);
        EXPECT_EQ(of->execution.shared_messages().size(), 4U);
        EXPECT_TRUE(of->connection().obstacles().empty());
      }
      expect_exchanges(5);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(network.unmatched(), 0U);
}

TEST_F(PublishingTest, ShortBlocksAreNot) {
  make({.block = kShortestPublished - 8});
  connect();
  for (const std::unique_ptr<End>& of : ends) EXPECT_EQ(of->execution.published_messages(), 0U);
  expect_exchanges(3);
}

/// Nobody would know when its buffer may be filled again.
TEST_F(PublishingTest, APartnerThatSendsNothingIsNotAmongThem) {
  make({.silent = 2});
  EXPECT_EQ(end(0).with(1).own.published.entries, 0U) << "who is left is alone";
  connect();
  for (const std::unique_ptr<End>& of : ends) EXPECT_EQ(of->execution.published_messages(), 0U);
  expect_exchanges(3);
}

/// What both ends could claim is claimed.
TEST_F(PublishingTest, ClaimedMessagesAreNot) {
  make({.arrays = true});
  connect();
  EXPECT_EQ(end(0).connection().claimed(), 4U);
  EXPECT_EQ(end(0).execution.published_messages(), 0U);
  expect_exchanges(3);
}

/// It has its slots, the other reads what is published.
TEST_F(PublishingTest, WhoCannotMapItReadsSlots) {
  make();
  exchange_offers();
  end(1).with(0).theirs.published.segment.nonce[0] ^= 1;
  answer_and_settle();
  EXPECT_EQ(end(1).with(0).own_answer & kReadsPublished, 0U);
  EXPECT_EQ(end(2).with(0).own_answer & kReadsPublished, kReadsPublished);
  EXPECT_EQ(end(0).execution.published_messages(), 1U);
  EXPECT_EQ(end(0).execution.shared_messages().size(), 4U);
  ASSERT_EQ(end(1).connection().obstacles().size(), 1U);
  EXPECT_FALSE(end(1).connection().obstacles().front().takes_mpi);
  expect_exchanges(5);
}

/// On the other side: what is published is of no use where messages do not come by slots.
TEST_F(PublishingTest, WhoseMessagesTakeTheNetworkDoesNotPublish) {
  make();
  exchange_offers();
  end(0).with(1).theirs.has_region = 0;
  answer_and_settle();
  EXPECT_EQ(end(1).with(0).own_answer & kReadsPublished, kReadsPublished);
  EXPECT_EQ(end(0).execution.published_messages(), 1U);
  EXPECT_EQ(end(1).execution.published_messages(), 2U);
  expect_exchanges(5);
}

/// Nothing that a partner says is taken for granted.
TEST_F(PublishingTest, WrongTablesAreRefused) {
  const auto expect_refused = [&](const char* what, const std::function<void(PublishedOffer&, std::byte*)>& spoil) {
    make();
    exchange_offers();
    Connection::Partner& partner = end(1).with(0);
    PublishedOffer& offered = partner.theirs.published;
    ASSERT_EQ(offered.entries, 1U);
    std::byte* table = nullptr;
    {
      ProcessMemory& process = process_memory();
      const std::scoped_lock lock(process.mutex);
      table = process.partners.map(partner.theirs.node, offered.segment)->data() + offered.table;
    }
    spoil(offered, table);
    answer_and_settle();
    EXPECT_EQ(partner.own_answer & kReadsPublished, 0U) << what;
    ASSERT_EQ(end(1).connection().obstacles().size(), 1U) << what;
    EXPECT_NE(end(1).connection().obstacles().front().reason.find("table"), std::string::npos) << what;
    expect_exchanges(3);
  };
  const auto expect_wrong_offer = [&](const char* what, const std::function<void(PublishedOffer&)>& spoil) {
    expect_refused(what, [&](PublishedOffer& offered, std::byte*) { spoil(offered); });
  };
  expect_wrong_offer("beyond its end", [](PublishedOffer& it) { it.table = it.segment.size; });
  expect_wrong_offer("across its end", [](PublishedOffer& it) { it.table = it.segment.size - 16; });
  expect_wrong_offer("far beyond", [](PublishedOffer& it) { it.table = ~std::uint64_t{0} - 7; });
  expect_wrong_offer("between words", [](PublishedOffer& it) { it.table += 4; });
  expect_wrong_offer("elsewhere", [](PublishedOffer& it) { it.table += 64; });
  expect_wrong_offer("more entries than messages", [](PublishedOffer& it) { it.entries = 2; });
  expect_wrong_offer("more entries than there is memory", [](PublishedOffer& it) { it.entries = ~std::uint64_t{0}; });
  // The word of its end, the number of entries, and then a message and two places.
  const auto expect_wrong_word = [&](const char* what, std::size_t word, std::uint64_t wrong, bool relative = false) {
    expect_refused(what, [&](PublishedOffer& offered, std::byte* table) {
      const std::uint64_t written = wrong + (relative ? offered.segment.size : 0);
      std::memcpy(table + word * sizeof written, &written, sizeof written);
    });
  };
  expect_wrong_word("another number of entries", 1, 2);
  expect_wrong_word("no such message", 2, 1);
  expect_wrong_word("huge number of a message", 2, ~std::uint64_t{0});
  for (const std::size_t buffer : {3U, 4U}) {
    expect_wrong_word("beyond the end", buffer, 64, true);
    expect_wrong_word("across the end", buffer, std::uint64_t{0} - 64, true);
    expect_wrong_word("far beyond", buffer, ~std::uint64_t{0} - 63);
    expect_wrong_word("not on a cache line", buffer, 72);
  }
}

/// Slots are what matters: then each message is packed for itself.
TEST_F(PublishingTest, WhereItIsOverTheBudgetMessagesTakeTheirSlots) {
  make_one(1, {});
  make_one(2, {});
  const SlotPlan plan = plan_slots(*schedule_of(0, {}), 0).front();
  std::vector<Region> kept;
  {
    ProcessMemory& process = process_memory();
    const std::scoped_lock lock(process.mutex);
    const auto take_all = [&](std::size_t bytes) {
      while (const Attempt<Region> region = process.own.take(bytes)) kept.push_back(*region);
    };
    take_all(plan.receives.region_size);
    take_all(kCacheLine);
    ASSERT_GT(kept.size(), 4U);
    for (const std::size_t one : {2U, 0U}) {  // not side by side
      process.own.give_back(kept[one], {});
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(one));
    }
  }
  make_one(0, {});
  EXPECT_EQ(end(0).with(1).own.has_region, 1U);
  EXPECT_EQ(end(0).with(2).own.has_region, 1U);
  EXPECT_EQ(end(0).with(1).own.published.entries, 0U);
  ASSERT_EQ(end(0).connection().obstacles().size(), 1U);
  EXPECT_FALSE(end(0).connection().obstacles().front().takes_mpi);
  EXPECT_NE(end(0).connection().obstacles().front().reason.find("RONDO_SHM_BYTES"), std::string::npos);
  connect();
  EXPECT_EQ(end(0).execution.published_messages(), 0U);
  EXPECT_EQ(end(1).execution.published_messages(), 2U);
  EXPECT_EQ(end(0).execution.shared_messages().size(), 4U);
  expect_exchanges(3);
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (const Region& region : kept) process.own.give_back(region, {});
}

/// In any order: 0 is who publishes.
TEST_F(PublishingTest, ItsMemoryIsFreeWhenAllHaveClosedTheirEnds) {
  std::array order{0, 1, 2};
  do {
    make();
    connect();
    expect_exchanges(2);
    const PublishedOffer offered = end(0).with(1).own.published;
    for (const int rank : order) {
      EXPECT_FALSE(is_free(offered)) << "before " << rank << " of " << order[0] << order[1] << order[2];
      ends[static_cast<std::size_t>(rank)].reset();
    }
    EXPECT_TRUE(is_free(offered));
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(PublishingTest, WhoDoesNotReadIsNotWaitedFor) {
  make();
  exchange_offers();
  end(1).with(0).theirs.published.entries = 0;
  answer_and_settle();
  const PublishedOffer offered = end(0).with(1).own.published;
  ends[2].reset();
  ends[0].reset();
  EXPECT_TRUE(is_free(offered));
}

TEST_F(PublishingTest, WhatNobodyReadsIsFreeAtOnce) {
  make();
  exchange_offers();
  for (const int partner : {1, 2}) end(partner).with(0).theirs.published.entries = 0;
  const PublishedOffer offered = end(0).with(1).own.published;
  EXPECT_FALSE(is_free(offered));
  answer_and_settle();
  EXPECT_TRUE(is_free(offered));
  EXPECT_EQ(end(0).execution.published_messages(), 0U);
  expect_exchanges(3);
}

/// As when another rank had no memory and the call fails everywhere.
TEST_F(PublishingTest, AnOfferThatWasNeverMadeLeavesNothingBehind) {
  make();
  const PublishedOffer offered = end(0).with(1).own.published;
  ends[0].reset();
  EXPECT_TRUE(is_free(offered));
}

}  // namespace
}  // namespace rondo::internal::publishing_test
