// A first call that is nonblocking, and what follows on the same communicator before its duplicate is there: ranks come
// to it after different numbers of progress calls, in every form that is legal. Open MPI 4.1 mixes up a duplicate that
// is under way and other collectives on the same communicator.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/test_scale.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::dense_context_test {
namespace {

/// What one alltoall of one int a rank is given and gets.
struct Exchange {
  Exchange(int rank, int p, int salt) {
    for (int j = 0; j < p; ++j) {
      send.push_back(salt + rank * p + j);
      expected.push_back(salt + j * p + rank);
    }
    recv.assign(send.size(), -1);
  }
  std::vector<int> send;
  std::vector<int> recv;
  std::vector<int> expected;
};

void expect_success(int code) {
  std::string text(RONDO_MAX_ERROR_STRING, '\0');
  int length = 0;
  Rondo_Error_string(code, text.data(), &length);
  ASSERT_EQ(code, MPI_SUCCESS) << text.substr(0, static_cast<std::size_t>(length));
}

class AfterFirstCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  void TearDown() override {
    MPI_Comm_free(&comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }

  /// Another on each rank, so that they come to what follows with the duplicate in different states.
  void dawdle() {
    if (own(3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(own(200)));
    for (int passes = own(6); passes > 0; --passes) {
      int flag = 0;
      EXPECT_EQ(Rondo_Progress(&flag), MPI_SUCCESS);
    }
  }
  [[nodiscard]] int own(int below) { return static_cast<int>(own_random() % static_cast<unsigned>(below)); }
  [[nodiscard]] int common(int below) { return static_cast<int>(common_random() % static_cast<unsigned>(below)); }
  [[nodiscard]] Exchange exchange() { return {rank, p, common(1000) * p * p}; }

  [[nodiscard]] Rondo_Request begin(Exchange& of) const {
    Rondo_Request request = RONDO_REQUEST_NULL;
    EXPECT_EQ(Rondo_Ialltoall(of.send.data(), 1, MPI_INT, of.recv.data(), 1, MPI_INT, comm, &request), MPI_SUCCESS);
    return request;
  }

  /// `then(exchange)` while first calls are under way, on a new communicator each time.
  void try_out(const std::function<void(Exchange&)>& then) {
    for (std::uint64_t round = 0; round < scaled(150); ++round) {
      MPI_Comm_free(&comm);
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      std::vector<Exchange> first;
      for (int k = common(3); k >= 0; --k) first.push_back(exchange());
      std::vector<Rondo_Request> requests;
      for (Exchange& of : first) {
        dawdle();
        requests.push_back(begin(of));
      }
      dawdle();
      Exchange last = exchange();
      then(last);
      if (HasFailure()) MPI_Abort(MPI_COMM_WORLD, 1);  // the others would wait
      for (Rondo_Request& request : requests) expect_success(Rondo_Wait(&request, MPI_STATUS_IGNORE));
      for (const Exchange& of : first) EXPECT_EQ(of.recv, of.expected) << "round " << round;
      EXPECT_EQ(last.recv, last.expected) << "round " << round;
    }
  }

  int rank = world_rank();
  int p = world_size();
  MPI_Comm comm = MPI_COMM_NULL;
  std::mt19937 common_random{20151};
  std::mt19937 own_random{static_cast<unsigned>(rank) + 7};
};

TEST_F(AfterFirstCalls, ABlockingCall) {
  try_out([&](Exchange& of) {
    expect_success(Rondo_Alltoall(of.send.data(), 1, MPI_INT, of.recv.data(), 1, MPI_INT, comm));
  });
}

TEST_F(AfterFirstCalls, AnInitCall) {
  try_out([&](Exchange& of) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    expect_success(
        Rondo_Alltoall_init(of.send.data(), 1, MPI_INT, of.recv.data(), 1, MPI_INT, comm, MPI_INFO_NULL, &request));
    dawdle();
    expect_success(Rondo_Start(&request));
    expect_success(Rondo_Wait(&request, MPI_STATUS_IGNORE));
    expect_success(Rondo_Request_free(&request));
  });
}

TEST_F(AfterFirstCalls, Prepare) {
  try_out([&](Exchange& of) {
    expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL));
    dawdle();
    expect_success(Rondo_Alltoall(of.send.data(), 1, MPI_INT, of.recv.data(), 1, MPI_INT, comm));
  });
}

TEST_F(AfterFirstCalls, ACommOfItsOwn) {
  try_out([&](Exchange& of) { Comm(comm).alltoall(std::span<const int>(of.send), std::span<int>(of.recv)); });
}

TEST_F(AfterFirstCalls, ANeighborhood) {
  try_out([&](Exchange& of) {
    MPI_Comm cart = MPI_COMM_NULL;
    const int periodic = 1;
    const int step = 0;
    expect_success(
        Rondo_Cart_neighborhood_create(comm, 1, &p, &periodic, 1, &step, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &cart));
    dawdle();
    MPI_Comm_free(&cart);
    of.recv = of.expected;  // nothing was exchanged
  });
}

/// A duplicate of a communicator with a neighborhood has one, too, and all ranks make it together. That a nonblocking
/// call needs a duplicate must not make it wait: the last rank comes to its call only when the others have made theirs.
TEST_F(AfterFirstCalls, ANonblockingCallOnANeighborhoodWaitsForNobody) {
  const int periodic = 1;
  const int to_the_right = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  ASSERT_EQ(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &p, &periodic, 1, &to_the_right, MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &ring),
            MPI_SUCCESS);
  Exchange of = exchange();
  Rondo_Request request = RONDO_REQUEST_NULL;
  for (int other = 0; rank == p - 1 && other < rank; ++other)
    MPI_Recv(nullptr, 0, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ASSERT_EQ(Rondo_Ialltoall(of.send.data(), 1, MPI_INT, of.recv.data(), 1, MPI_INT, ring, &request), MPI_SUCCESS);
  if (rank < p - 1) MPI_Send(nullptr, 0, MPI_INT, p - 1, 0, MPI_COMM_WORLD);
  expect_success(Rondo_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_EQ(of.recv, of.expected);
  MPI_Comm_free(&ring);
}

TEST_F(AfterFirstCalls, AnythingOfThese) {
  try_out([&](Exchange& of) {
    switch (common(3)) {
      case 0:
        expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL));
        break;
      case 1: {
        Comm own_comm(comm);
        dawdle();
        break;
      }
      default:
        break;
    }
    Rondo_Request request = begin(of);
    dawdle();
    Exchange more = exchange();
    expect_success(Rondo_Alltoall(more.send.data(), 1, MPI_INT, more.recv.data(), 1, MPI_INT, comm));
    EXPECT_EQ(more.recv, more.expected);
    expect_success(Rondo_Wait(&request, MPI_STATUS_IGNORE));
  });
}

}  // namespace
}  // namespace rondo::internal::dense_context_test
