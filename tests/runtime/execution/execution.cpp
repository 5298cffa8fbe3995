#include "runtime/execution/execution.hpp"

#include <gtest/gtest.h>

#include "runtime/engine/engine.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace rondo::internal::execution_test {
namespace {

/// Refuses the n-th message that is posted, and from then on all, where `for_good`.
class BrokenTransport final : public Transport {
 public:
  BrokenTransport(int good, bool for_good) : good_(good), for_good_(for_good) {}
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const Route*) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (good_-- == 0) return {i, MPI_ERR_OTHER};
      posted_.push_back({&execution, messages[i].task, MPI_SUCCESS});
    }
    return {messages.size(), MPI_SUCCESS};
  }
  int post_in_failure(Execution& execution, const Message& message, const Route*) override {
    if (for_good_) return MPI_ERR_OTHER;
    posted_.push_back({&execution, message.task, MPI_ERR_INTERN});
    ++posted_in_failure;
    return MPI_SUCCESS;
  }
  std::span<const Completion> poll() override {
    reported_.swap(posted_);
    posted_.clear();
    return reported_;
  }
  void abandon(Execution&, ScratchMemory&) override { posted_.clear(); }
  std::size_t in_flight() const noexcept override { return posted_.size(); }
  InFlight in_flight_at(std::size_t place) const noexcept override {
    return {posted_[place].execution, posted_[place].task};
  }

  int posted_in_failure = 0;

 private:
  int good_;
  bool for_good_;
  std::vector<Completion> posted_;
  std::vector<Completion> reported_;
};

std::shared_ptr<const Schedule> shared(ScheduleBuilder&& builder) {
  return std::make_shared<const Schedule>(std::move(builder).build());
}

TEST(Execution, RunsCopiesInOrderAgainAndAgain) {
  LoopbackNetwork network(1, 1);
  ScheduleBuilder builder;
  constexpr int kLength = 50;
  std::vector<BlockId> chain{builder.block(Space::send, 0, 8)};
  for (int i = 1; i < kLength; ++i) chain.push_back(builder.transit(8));
  chain.push_back(builder.block(Space::recv, 0, 8));
  for (std::size_t i = 0; i + 1 < chain.size(); ++i)
    builder.copy(std::span(chain).subspan(i, 1), std::span(chain).subspan(i + 1, 1));
  Execution execution(shared(std::move(builder)), network.transport(0), MPI_COMM_NULL, 0);
  for (std::int64_t value = 1; value <= 5; ++value) {
    std::int64_t result = 0;
    execution.bind(&value, &result);
    execution.start();
    EXPECT_FALSE(execution.active());
    EXPECT_EQ(result, value);
  }
}

TEST(Execution, AnEmptyScheduleIsCompleteAtOnce) {
  LoopbackNetwork network(1, 1);
  Execution execution(shared(ScheduleBuilder{}), network.transport(0), MPI_COMM_NULL, 0);
  execution.start();
  EXPECT_FALSE(execution.active());
}

/// Drives executions of different virtual ranks until all are complete.
void run(LoopbackNetwork& network, std::initializer_list<Execution*> executions) {
  for (Execution* execution : executions) execution->start();
  while (std::ranges::any_of(executions, [](const Execution* it) { return it->active(); })) {
    for (int rank = 0; rank < network.ranks(); ++rank) {
      for (const Completion& completion : network.transport(rank).poll())
        completion.execution->complete(completion.task, completion.code);
    }
  }
}

/// Blocks without bytes have no say in where a message lies: not the user's, not those in transit.
TEST(Execution, AnEmptyBlockMayComeFirst) {
  for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
    SCOPED_TRACE(static_cast<int>(form));
    ScheduleBuilder builder(Ordering::dependencies, form);
    const BlockId empty = builder.transit(0);
    const std::vector first{builder.block(Space::send, 100, 0), builder.block(Space::send, 4, 4)};
    const std::vector arriving{empty, builder.block(Space::recv, 4, 4)};
    builder.exchange(1, 1, 0, first, arriving);
    builder.begin_phase();
    const std::vector second{empty, builder.block(Space::send, 8, 4)};
    const std::vector last{builder.block(Space::recv, 0, 0), builder.block(Space::recv, 12, 4)};
    builder.exchange(1, 1, 1, second, last);
    ScheduleParts parts = std::move(builder).build().parts();
    const auto of_first = std::make_shared<const Schedule>(parts);
    for (Task& task : parts.tasks) task.peer = task.peer == 1 ? 0 : task.peer;
    LoopbackNetwork network(2, 1);
    Execution one(of_first, network.transport(0), MPI_COMM_NULL, 0);
    Execution other(std::make_shared<const Schedule>(std::move(parts)), network.transport(1), MPI_COMM_NULL, 0);
    const std::array sent_by_one{1, 2, 3, 4};
    const std::array sent_by_other{5, 6, 7, 8};
    std::array received_by_one{0, 0, 0, 0};
    std::array received_by_other{0, 0, 0, 0};
    one.bind(sent_by_one.data(), received_by_one.data());
    other.bind(sent_by_other.data(), received_by_other.data());
    run(network, {&one, &other});
    EXPECT_EQ(received_by_one, (std::array{0, 6, 0, 7}));
    EXPECT_EQ(received_by_other, (std::array{0, 2, 0, 3}));
  }
}

/// A message across spaces has absolute addresses in it: they follow the buffers.
TEST(Execution, MessagesAcrossSpacesAreBoundAnew) {
  LoopbackNetwork network(1, 1);
  ScheduleBuilder builder(Ordering::dependencies, MessageForm::datatype);
  const BlockId transit = builder.transit(4);
  const std::vector first{builder.block(Space::send, 0, 4), builder.block(Space::send, 8, 4)};
  const std::vector arriving{transit, builder.block(Space::recv, 8, 4)};
  builder.exchange(0, 0, 0, first, arriving);
  const std::vector second{transit, builder.block(Space::send, 4, 4)};
  const std::vector last{builder.block(Space::recv, 4, 4), builder.block(Space::recv, 0, 4)};
  builder.exchange(0, 0, 1, second, last);
  const auto schedule = shared(std::move(builder));
  ASSERT_TRUE(std::ranges::any_of(schedule->wire_layouts(), [](const WireLayout& it) { return !it.in_one_space(); }));
  Execution execution(schedule, network.transport(0), MPI_COMM_NULL, 0);
  std::array<std::array<int, 3>, 2> send{};
  std::array<std::array<int, 3>, 2> recv{};
  for (int repetition = 0; repetition < 10; ++repetition) {
    // Now and then one of the buffers stays.
    const auto from = static_cast<std::size_t>(repetition % 2);
    const auto to = static_cast<std::size_t>(repetition / 3 % 2);
    send[from] = {repetition, repetition + 100, repetition + 200};
    recv = {};
    execution.bind(send[from].data(), recv[to].data());
    run(network, {&execution});
    EXPECT_EQ(recv[to], (std::array{repetition + 100, repetition, repetition + 200}));
    EXPECT_EQ(recv[1 - to], (std::array{0, 0, 0})) << "the other buffer";
  }
}

std::shared_ptr<const Schedule> three_exchanges_in_a_row() {
  ScheduleBuilder builder;
  const std::vector<BlockId> places{builder.block(Space::send, 0, 8), builder.transit(8), builder.transit(8),
                                    builder.block(Space::recv, 0, 8)};
  for (std::size_t i = 0; i < 3; ++i) {
    builder.begin_phase();
    builder.exchange(4, 5, static_cast<std::uint32_t>(i), std::span(places).subspan(i, 1),
                     std::span(places).subspan(i + 1, 1));
  }
  return shared(std::move(builder));
}

TEST(Execution, TheFirstFailureIsKeptAndNoPartnerIsLeftWaiting) {
  for (const bool for_good : {false, true}) {
    for (int good = 0; good < 6; ++good) {
      BrokenTransport transport(good, for_good);
      Engine engine(transport);
      Execution execution(three_exchanges_in_a_row(), transport, MPI_COMM_NULL, 0);
      std::array<std::byte, 8> send{};
      std::array<std::byte, 8> recv{};
      execution.bind(send.data(), recv.data());
      engine.start(execution);
      engine.wait(execution);
      ASSERT_TRUE(execution.failure().has_value()) << good;
      EXPECT_EQ(execution.failure()->code, MPI_ERR_OTHER);
      const std::string text = execution.describe_failure();
      EXPECT_TRUE(text.find("rank 4") != std::string::npos || text.find("rank 5") != std::string::npos) << text;
      EXPECT_NE(text.find("round"), std::string::npos) << text;
      EXPECT_EQ(execution.usable(), !for_good) << "messages were lost";
      EXPECT_EQ(transport.posted_in_failure, for_good ? 0 : 6 - good);
    }
  }
}

TEST(Execution, NothingIsCopiedAfterAFailure) {
  ScheduleBuilder builder;
  const std::vector<BlockId> places{builder.block(Space::send, 0, 8), builder.transit(8),
                                    builder.block(Space::recv, 0, 8)};
  builder.exchange(4, 5, 0, std::span(places).subspan(0, 1), std::span(places).subspan(1, 1));
  builder.copy(std::span(places).subspan(1, 1), std::span(places).subspan(2, 1));
  const auto schedule = shared(std::move(builder));
  for (const int good : {0, 2}) {
    BrokenTransport transport(good, false);
    Engine engine(transport);
    Execution execution(schedule, transport, MPI_COMM_NULL, 0);
    const std::array<std::byte, 8> send{};
    std::array<std::byte, 8> recv{};
    recv.fill(std::byte{7});
    execution.bind(send.data(), recv.data());
    engine.start(execution);
    engine.wait(execution);
    EXPECT_EQ(execution.failure().has_value(), good == 0);
    EXPECT_EQ(recv[0] == std::byte{7}, good == 0);
  }
}

TEST(Execution, WhatIsAbandonedEndsAtOnceWithItsStory) {
  BrokenTransport transport(100, false);
  Execution execution(three_exchanges_in_a_row(), transport, MPI_COMM_NULL, 0);
  std::array<std::byte, 8> send{};
  std::array<std::byte, 8> recv{};
  execution.bind(send.data(), recv.data());
  execution.start();
  ASSERT_TRUE(execution.active());
  execution.abandon(MPI_ERR_OTHER, "nobody answers");
  EXPECT_FALSE(execution.active());
  EXPECT_FALSE(execution.usable());
  EXPECT_EQ(execution.describe_failure(), "nobody answers");
  EXPECT_EQ(transport.in_flight(), 0U);
}

}  // namespace
}  // namespace rondo::internal::execution_test
