#include "runtime/execution.hpp"

#include <gtest/gtest.h>

#include "runtime/engine.hpp"
#include "runtime/loopback_transport.hpp"
#include "runtime/schedule_builder.hpp"

#include <array>
#include <numeric>

namespace rondo {
namespace {

/// Refuses the n-th message that is posted, and from then on all, where `for_good`.
class BrokenTransport final : public Transport {
 public:
  BrokenTransport(int good, bool for_good) : good_(good), for_good_(for_good) {}
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const MPI_Request*) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (good_-- == 0) return {i, MPI_ERR_OTHER};
      posted_.push_back({&execution, messages[i].task, MPI_SUCCESS});
    }
    return {messages.size(), MPI_SUCCESS};
  }
  int post_in_failure(Execution& execution, const Message& message) override {
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
}  // namespace rondo
