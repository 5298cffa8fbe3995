// Rank 0 waits in a collective through shared memory while its partner, rank 1, is first inside a function of MPI that
// needs rank 0: waiting in Rondo must let MPI make progress, too. Persistent operations take slots, other calls lanes.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.hpp>

#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace rondo::internal::busy_partners_test {
namespace {

using test::all_ranks;
using test::own_rank;

constexpr int kRounds = 5;
constexpr int kBlock = 10;
constexpr int kLong = 1 << 20;  // bytes of a message for which MPI needs both sides

/// An alltoall with both neighbors on a ring. The parameter says whether it is persistent.
class BusyPartners : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (all_ranks() < 2) GTEST_SKIP() << "no partner";
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    ring_ = std::make_unique<CartComm>(MPI_COMM_WORLD, std::vector<int>{all_ranks()}, moore(1, 1));
    if (GetParam()) request_ = ring_->alltoall_init(send_, recv_, kBlock);
    exchange();
  }
  void TearDown() override {
    if (ring_ == nullptr) return;
    request_ = {};
    ring_.reset();
    MPI_Comm_free(&comm_);
  }

  void start() {
    fill();
    if (GetParam())
      request_.start();
    else
      request_ = ring_->ialltoall(send_, recv_, kBlock);
  }
  void finish() {
    request_.wait();
    check();
  }
  /// Makes a whole exchange; a blocking call if it is not persistent.
  void exchange() {
    if (GetParam()) {
      start();
      finish();
    } else {
      fill();
      ring_->alltoall(send_, recv_, kBlock);
      check();
    }
  }
  void send_long() { MPI_Send(long_message_.data(), kLong, MPI_CHAR, 0, 0, comm_); }
  void receive_long() { MPI_Recv(long_message_.data(), kLong, MPI_CHAR, 0, 0, comm_, MPI_STATUS_IGNORE); }
  void start_sending_long(MPI_Request& request) {
    MPI_Isend(long_message_.data(), kLong, MPI_CHAR, 1, 0, comm_, &request);
  }
  void start_receiving_long(MPI_Request& request) {
    MPI_Irecv(long_message_.data(), kLong, MPI_CHAR, 1, 0, comm_, &request);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<char> long_message_ = std::vector<char>(kLong, 'x');

 private:
  [[nodiscard]] int value(int rank, std::size_t i) const { return rank * 1000003 + round_ * 101 + static_cast<int>(i); }
  void fill() {
    ++round_;
    for (std::size_t i = 0; i < send_.size(); ++i) send_[i] = value(own_rank(), i);
    std::ranges::fill(recv_, -1);
  }
  void check() const {
    const std::vector<int> sources = ring_->sources();
    for (std::size_t i = 0; i < recv_.size(); ++i)
      ASSERT_EQ(recv_[i], value(sources[i / kBlock], i)) << "element " << i;
  }

  int round_ = 0;
  std::unique_ptr<CartComm> ring_;
  std::vector<int> send_ = std::vector<int>(std::size_t{2} * kBlock);
  std::vector<int> recv_ = std::vector<int>(std::size_t{2} * kBlock);
  Request request_;
};

TEST_P(BusyPartners, InASend) {
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (own_rank() == 0) {
      std::ranges::fill(long_message_, 'y');
      start_receiving_long(request);
    }
    if (own_rank() == 1) send_long();
    exchange();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(long_message_.back(), 'x');
  }
}

/// The application has a message that nobody has received yet. Whatever its tag, it must not keep a look into MPI from
/// making progress.
TEST_P(BusyPartners, InASendBehindAnotherMessage) {
  void* highest = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &found);
  for (const int tag : {32767, *static_cast<int*>(highest)}) {
    int early = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (own_rank() == 1) {
      MPI_Isend(&early, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
      MPI_Send(nullptr, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
      send_long();
    } else if (own_rank() == 0) {
      MPI_Recv(nullptr, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // then the message with `tag` is there
      start_receiving_long(request);
    }
    exchange();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (own_rank() == 0) MPI_Recv(&early, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

TEST_P(BusyPartners, InAReceiveBetweenItsStartAndItsWait) {
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    start();
    if (own_rank() == 0) start_sending_long(request);
    if (own_rank() == 1) receive_long();
    finish();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// Rank 0 sends what rank 1 waits for only after its own wait. That wait ends, as the start of rank 1 has sent all.
TEST_P(BusyPartners, InAReceiveThatEndsAfterTheWaitOfRank0) {
  for (int round = 0; round < kRounds; ++round) {
    int word = 0;
    start();
    if (own_rank() == 1) MPI_Recv(&word, 1, MPI_INT, 0, 0, comm_, MPI_STATUS_IGNORE);
    finish();
    if (own_rank() == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, comm_);
  }
}

/// Rank 0 cannot end its wait before rank 1 has received.
TEST_P(BusyPartners, InAReceiveBeforeItsStart) {
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (own_rank() == 0) start_sending_long(request);
    if (own_rank() == 1) receive_long();
    exchange();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

TEST_P(BusyPartners, InABarrier) {
  for (int round = 0; round < kRounds; ++round) {
    // The others wait in the barrier, and rank 0 in the exchange, whose wait must move the barrier.
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &barrier);
    if (own_rank() != 0) MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    exchange();
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    start();
    MPI_Barrier(comm_);
    finish();
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, BusyPartners, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "Persistent" : "NotPersistent"; });

}  // namespace
}  // namespace rondo::internal::busy_partners_test
