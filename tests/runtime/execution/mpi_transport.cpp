#include "runtime/execution/mpi_transport.hpp"

#include <gtest/gtest.h>

#include "runtime/base/private_comm.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/large_memory.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::mpi_transport_test {
namespace {

constexpr int kMessages = 5;
constexpr std::int64_t kBytes = 64;

/// Every rank sends kMessages blocks to the next one. That with number `odd` is received as `odd_bytes`.
std::shared_ptr<const Schedule> ring(int rank, int ranks, int odd, std::int64_t odd_bytes = kBytes / 2) {
  ScheduleBuilder builder;
  for (int i = 0; i < kMessages; ++i) {
    const BlockId outgoing = builder.block(Space::send, i * kBytes, kBytes);
    const BlockId incoming = builder.block(Space::recv, i * kBytes, i == odd ? odd_bytes : kBytes);
    builder.exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks, static_cast<std::uint32_t>(i), {&outgoing, 1},
                     {&incoming, 1});
  }
  return std::make_shared<const Schedule>(std::move(builder).build());
}

class MpiTransportTest : public testing::TestWithParam<Engine::Waiting> {
 protected:
  MpiTransportTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    // MPICH raises the error of a call on many requests on MPI_COMM_WORLD, whatever communicator they belong to.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    engine_.set_waiting(GetParam());
    for (std::size_t i = 0; i < send_.size(); ++i) send_[i] = static_cast<char>(31 * rank_ + static_cast<int>(i % 101));
  }
  void run(Execution& execution) {
    execution.bind(send_.data(), recv_.data());
    engine_.start(execution);
    engine_.wait(execution);
  }

  int rank_ = 0;
  int ranks_ = 0;
  PrivateComm comm_{MPI_COMM_WORLD};
  MpiTransport transport_;
  Engine engine_{transport_};
  std::vector<char> send_ = std::vector<char>(kMessages * kBytes);
  std::vector<char> recv_ = std::vector<char>((kMessages + 1) * kBytes);  // one block may be twice as long
};

TEST_P(MpiTransportTest, DeliversAgainAndAgain) {
  Execution execution(ring(rank_, ranks_, -1), transport_, comm_.get(), 0);
  const int source = (rank_ + ranks_ - 1) % ranks_;
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::fill(recv_.begin(), recv_.end(), '\0');
    run(execution);
    ASSERT_FALSE(execution.failure());
    for (std::size_t i = 0; i < send_.size(); ++i)
      ASSERT_EQ(recv_[i], static_cast<char>(31 * source + static_cast<int>(i % 101))) << i;
    EXPECT_EQ(transport_.in_flight(), 0U);
  }
}

/// Another thread may need the token of one that waits inside MPI, to start what that one waits for.
TEST_P(MpiTransportTest, EndsAWaitInsideMpiForAnotherThread) {
  if (ranks_ == 1) GTEST_SKIP();
  Execution execution(ring(rank_, ranks_, -1), transport_, comm_.get(), 0);
  execution.bind(send_.data(), recv_.data());
  if (rank_ == 0) {
    engine_.start(execution);
    std::atomic<bool> stop = false;
    std::thread other([&] { stop = true; });
    EXPECT_FALSE(transport_.wait_all(false, stop)) << "another rank has not started";
    other.join();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ != 0) engine_.start(execution);
  engine_.wait(execution);
  EXPECT_FALSE(execution.failure());
  EXPECT_EQ(transport_.in_flight(), 0U);
}

TEST_P(MpiTransportTest, NamesTheMessageThatFailed) {
  int first_tag = 0;
  for (const std::int64_t bytes : {kBytes / 2, kBytes * 2}) {
    for (int odd = 0; odd < kMessages; ++odd) {
      Execution execution(ring(rank_, ranks_, odd, bytes), transport_, comm_.get(), first_tag += kMessages);
      run(execution);
      ASSERT_TRUE(execution.failure().has_value());
      EXPECT_EQ(execution.failure_class(), bytes < kBytes ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT);
      const Task& task = execution.schedule().tasks()[execution.failure()->task];
      EXPECT_EQ(task.kind, TaskKind::receive);
      const std::string text = execution.describe_failure();
      EXPECT_EQ(task.tag, static_cast<std::uint32_t>(odd)) << text;
      const std::string wanted =
          std::string(bytes < kBytes ? "longer" : "shorter") + " than the " + std::to_string(bytes) + " bytes";
      EXPECT_NE(text.find(wanted), std::string::npos) << text;
      EXPECT_EQ(transport_.in_flight(), 0U);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

/// A partner that is inside MPI receives nothing here, but this rank goes on: nobody needs the memory of the send any
/// more, and MPI delivers what was in it.
TEST_P(MpiTransportTest, ACopiedSendIsReportedBeforeItsReceiverComes) {
  constexpr int kLong = 1 << 20;
  constexpr int kTag = 7;
  std::vector<char> sent(kLong, 'x');
  Execution execution(std::make_shared<const Schedule>(ScheduleBuilder().build()), transport_, comm_.get(), 0);
  transport_.reserve(1);
  Message message{};
  message.address = reinterpret_cast<std::byte*>(sent.data());
  message.wire_type = MPI_BYTE;
  message.size = kLong;
  message.peer = (rank_ + 1) % ranks_;
  message.tag = kTag;
  message.task = 3;
  message.sends = 1;
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::ranges::fill(sent, static_cast<char>('a' + repetition));
    ASSERT_EQ(transport_.post_copied(execution, message).count, 1U);
    EXPECT_FALSE(transport_.wait_all(false, false)) << "MPI would wait for the receiver";
    std::size_t reported = 0;
    while (reported == 0) {
      for (const Completion& it : transport_.poll()) {
        EXPECT_EQ(it.execution, &execution);
        EXPECT_EQ(it.task, 3U);
        EXPECT_EQ(it.code, MPI_SUCCESS);
        ++reported;
      }
    }
    EXPECT_EQ(transport_.in_flight(), transport_.abandoned());
  }
  EXPECT_EQ(transport_.in_flight(), 3U);
  std::ranges::fill(sent, 'z');
  MPI_Barrier(MPI_COMM_WORLD);
  const int source = (rank_ + ranks_ - 1) % ranks_;
  std::vector<char> received(kLong);
  for (int repetition = 0; repetition < 3; ++repetition) {
    MPI_Request receive = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Irecv(received.data(), kLong, MPI_CHAR, source, kTag, comm_.get(), &receive), MPI_SUCCESS);
    for (int complete = 0; complete == 0;) {
      ASSERT_EQ(MPI_Test(&receive, &complete, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_TRUE(transport_.poll().empty()) << "each is reported once";
    }
    EXPECT_EQ(received, std::vector<char>(kLong, static_cast<char>('a' + repetition)));
  }
  while (transport_.in_flight() > 0) static_cast<void>(transport_.poll());
  transport_.release(1);
}

/// The sends of an abandoned execution stay in flight until they are received; MPI may read them until then.
TEST_P(MpiTransportTest, WhatIsAbandonedIsOutOfTheWayAtLast) {
  constexpr int kLong = 1 << 20;
  ScheduleBuilder builder;
  const BlockId outgoing = builder.block(Space::send, 0, kLong);
  const BlockId through = builder.transit(kLong);
  builder.copy({&outgoing, 1}, {&through, 1});
  builder.send((rank_ + 1) % ranks_, 0, {&through, 1});
  const int source = (rank_ + ranks_ - 1) % ranks_;
  const BlockId incoming = builder.block(Space::recv, 0, kLong);
  builder.receive(source, 1, {&incoming, 1});  // never sent
  const std::vector<char> sent(kLong, 'x');
  std::vector<char> received(kLong, 'y');
  {
    Execution execution(std::make_shared<const Schedule>(std::move(builder).build()), transport_, comm_.get(), 100);
    execution.bind(sent.data(), received.data());
    engine_.start(execution);
    ASSERT_TRUE(execution.active());
    execution.abandon(MPI_ERR_OTHER, "enough");
    EXPECT_FALSE(execution.active());
  }
  EXPECT_GE(transport_.in_flight(), 1U);
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<char> late(kLong, 'z');
  MPI_Request receive = MPI_REQUEST_NULL;
  ASSERT_EQ(MPI_Irecv(late.data(), kLong, MPI_CHAR, source, 100, comm_.get(), &receive), MPI_SUCCESS);
  for (int complete = 0; complete == 0 || transport_.in_flight() > 0;) {
    if (complete == 0) {
      ASSERT_EQ(MPI_Test(&receive, &complete, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    EXPECT_TRUE(transport_.poll().empty()) << "nobody is to hear of them";
  }
  EXPECT_EQ(late, sent) << "the scratch memory was kept";
  EXPECT_EQ(received, std::vector<char>(kLong, 'y'));
  EXPECT_NO_THROW(transport_.reserve(1)) << "they have given back what room they had, and no more";
  transport_.release(1);
}

/// A message that is too short is told also where an int can count neither what comes nor what is expected.
TEST(MpiTransport, CountsHugeMessagesToTheByte) {
  constexpr std::int64_t kSent = (std::int64_t{1} << 31) + 1;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 2) GTEST_SKIP() << "takes some seconds: once is enough";
#if defined(OPEN_MPI)
  constexpr double kLeast = 0.05;  // a sanitizer's
#else
  constexpr double kLeast = 1;
#endif
  if (test_scale() < kLeast) GTEST_SKIP() << "takes some seconds, and MPICH's ranks wait busily: RONDO_TEST_SCALE=1";
  const PrivateComm comm(MPI_COMM_WORLD);
  MpiTransport transport;
  Engine engine(transport);
  const RepeatedMemory memory(kSent + 1);
  ScheduleBuilder builder;
  if (rank == 0) builder.send(1, 0, std::vector{builder.block(Space::send, 0, kSent)});
  if (rank == 1) builder.receive(0, 0, std::vector{builder.block(Space::recv, 0, kSent + 1)});
  Execution execution(std::make_shared<const Schedule>(std::move(builder).build()), transport, comm.get(), 0);
  execution.bind(memory.data(), memory.data());
  engine.start(execution);
  engine.wait(execution);
  EXPECT_EQ(execution.failure_class(), rank == 1 ? MPI_ERR_COUNT : MPI_SUCCESS);
  if (rank == 1) {
    EXPECT_NE(execution.describe_failure().find("shorter than the 2147483650 bytes"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Waiting, MpiTransportTest,
                         testing::Values(Engine::Waiting{.shared_cores = true, .yields = true, .may_block = false},
                                         Engine::Waiting{.shared_cores = true, .yields = true, .may_block = true},
                                         Engine::Waiting{.shared_cores = false, .yields = true, .may_block = true}),
                         [](const auto& waiting) {
                           return std::string(waiting.param.may_block ? "InMpi" : "Polling") +
                                  (waiting.param.shared_cores ? "SharedCores" : "OwnCores");
                         });

}  // namespace
}  // namespace rondo::internal::mpi_transport_test
