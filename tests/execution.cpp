#include "runtime/execution.hpp"

#include <gtest/gtest.h>

#include "runtime/engine.hpp"
#include "runtime/loopback_transport.hpp"
#include "runtime/schedule_builder.hpp"

#include <array>
#include <numeric>

namespace rondo {
namespace {

/// Refuses the n-th message that is posted and reports nothing by itself.
class BrokenTransport final : public Transport {
 public:
  explicit BrokenTransport(int good) : good_(good) {}
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const MPI_Request*) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (good_-- == 0) return {i, MPI_ERR_OTHER};
      posted_.push_back({&execution, messages[i].task, MPI_SUCCESS});
    }
    return {messages.size(), MPI_SUCCESS};
  }
  std::span<const Completion> poll() override {
    reported_.swap(posted_);
    posted_.clear();
    return reported_;
  }
  void cancel(Execution&) override { cancelled = true; }
  std::size_t in_flight() const override { return posted_.size(); }

  bool cancelled = false;

 private:
  int good_;
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

TEST(Execution, TheFirstFailureIsKeptAndTheRestIsSkipped) {
  // Three exchanges in a row; each of the six posts fails in turn.
  for (int good = 0; good < 6; ++good) {
    ScheduleBuilder builder;
    std::vector<BlockId> places{builder.block(Space::send, 0, 8), builder.transit(8), builder.transit(8),
                                builder.block(Space::recv, 0, 8)};
    for (std::size_t i = 0; i < 3; ++i) {
      builder.begin_phase();
      builder.exchange(4, 5, static_cast<std::uint32_t>(i), std::span(places).subspan(i, 1),
                       std::span(places).subspan(i + 1, 1));
    }
    BrokenTransport transport(good);
    Engine engine(transport);
    Execution execution(shared(std::move(builder)), transport, MPI_COMM_NULL, 0);
    std::array<std::byte, 8> send{};
    std::array<std::byte, 8> recv{};
    execution.bind(send.data(), recv.data());
    engine.start(execution);
    engine.wait(execution);
    ASSERT_TRUE(execution.failure().has_value()) << good;
    EXPECT_EQ(execution.failure()->code, MPI_ERR_OTHER);
    EXPECT_TRUE(transport.cancelled);
    const std::string text = execution.describe_failure();
    EXPECT_TRUE(text.find("rank 4") != std::string::npos || text.find("rank 5") != std::string::npos) << text;
    EXPECT_NE(text.find("round"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace rondo
