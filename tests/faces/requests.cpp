// Start, wait and test in all their forms.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal::requests_test {
namespace {

class Requests : public ::testing::Test {
 protected:
  static constexpr int kCount = 4;

  void SetUp() override {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    torus = std::make_unique<CartComm>(MPI_COMM_WORLD, std::initializer_list<int>{p}, moore(1, 1));
    for (auto& buffer : recv) buffer = {-1, -1};
  }
  void make_persistent() {
    for (std::size_t k = 0; k < kCount; ++k) {
      send[k] = {static_cast<int>(k) * 10, static_cast<int>(k) * 10 + 1};
      ASSERT_EQ(Rondo_Cart_alltoall_init(send[k].data(), 1, MPI_INT, recv[k].data(), 1, MPI_INT, torus->native(),
                                         MPI_INFO_NULL, &handles[k]),
                MPI_SUCCESS);
    }
  }
  void make_nonblocking() {
    for (std::size_t k = 0; k < kCount; ++k) {
      send[k] = {static_cast<int>(k) * 10, static_cast<int>(k) * 10 + 1};
      ASSERT_EQ(
          Rondo_Icart_alltoall(send[k].data(), 1, MPI_INT, recv[k].data(), 1, MPI_INT, torus->native(), &handles[k]),
          MPI_SUCCESS);
    }
  }
  void free_all() {
    for (Rondo_Request& handle : handles) EXPECT_EQ(Rondo_Request_free(&handle), MPI_SUCCESS);
  }
  void expect_received() {
    for (std::size_t k = 0; k < kCount; ++k) EXPECT_EQ(recv[k], send[k]);
  }

  std::unique_ptr<CartComm> torus;
  std::array<std::array<int, 2>, kCount> send{};
  std::array<std::array<int, 2>, kCount> recv{};
  std::array<Rondo_Request, kCount> handles{};
};

TEST_F(Requests, StartallWaitall) {
  make_persistent();
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (auto& buffer : recv) buffer = {-1, -1};
    std::array<MPI_Status, kCount> statuses{};
    EXPECT_EQ(Rondo_Startall(kCount, handles.data()), MPI_SUCCESS);
    EXPECT_EQ(Rondo_Waitall(kCount, handles.data(), statuses.data()), MPI_SUCCESS);
    for (const MPI_Status& status : statuses) EXPECT_EQ(status.MPI_ERROR, MPI_SUCCESS);
    expect_received();
  }
  EXPECT_EQ(Rondo_Waitall(kCount, handles.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS)
      << "inactive ones count as complete";
  free_all();
}

TEST_F(Requests, WaitanyReturnsEachOnce) {
  make_nonblocking();
  std::array<int, kCount> seen{};
  for (int k = 0; k < kCount; ++k) {
    int index = -1;
    MPI_Status status;
    ASSERT_EQ(Rondo_Waitany(kCount, handles.data(), &index, &status), MPI_SUCCESS);
    ASSERT_NE(index, MPI_UNDEFINED);
    ++seen[static_cast<std::size_t>(index)];
    EXPECT_EQ(handles[static_cast<std::size_t>(index)], RONDO_REQUEST_NULL);
  }
  EXPECT_EQ(seen, (std::array{1, 1, 1, 1}));
  int index = -1;
  EXPECT_EQ(Rondo_Waitany(kCount, handles.data(), &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(index, MPI_UNDEFINED);
  expect_received();
}

TEST_F(Requests, TestallIsAllOrNothing) {
  make_nonblocking();
  int flag = 0;
  while (flag == 0) {
    ASSERT_EQ(Rondo_Testall(kCount, handles.data(), &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (const Rondo_Request handle : handles) EXPECT_EQ(handle == RONDO_REQUEST_NULL, flag != 0);
  }
  expect_received();
}

TEST_F(Requests, TestanyReturnsEachOnce) {
  make_persistent();
  EXPECT_EQ(Rondo_Startall(kCount, handles.data()), MPI_SUCCESS);
  for (int complete = 0; complete < kCount;) {
    int index = -1;
    int flag = 0;
    ASSERT_EQ(Rondo_Testany(kCount, handles.data(), &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (flag == 0) continue;
    ASSERT_NE(index, MPI_UNDEFINED);
    ++complete;
  }
  int index = -1;
  int flag = 0;
  EXPECT_EQ(Rondo_Testany(kCount, handles.data(), &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(index, MPI_UNDEFINED);
  expect_received();
  free_all();
}

TEST_F(Requests, TestAndWaitOnNullAreComplete) {
  Rondo_Request null = RONDO_REQUEST_NULL;
  int flag = 0;
  EXPECT_EQ(Rondo_Test(&null, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(Rondo_Wait(&null, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/// The same as objects.
class RequestsInCpp : public Requests {
 protected:
  void SetUp() override {
    Requests::SetUp();
    for (std::size_t k = 0; k < kCount; ++k) {
      send[k] = {static_cast<int>(k), static_cast<int>(k) + 50};
      requests.push_back(torus->alltoall_init(send[k], recv[k]));
    }
  }
  std::vector<Request> requests;
  std::array<int, kCount> seen{};
};
constexpr std::array kEachOnce{1, 1, 1, 1};

TEST_F(RequestsInCpp, ManyAtOnce) {
  start_all(requests);
  wait_all(requests);
  expect_received();
}

TEST_F(RequestsInCpp, WaitAnyReturnsEachOnce) {
  start_all(requests);
  while (const std::optional<std::size_t> i = wait_any(requests)) {
    ++seen[*i];
    EXPECT_EQ(recv[*i], send[*i]);
    EXPECT_FALSE(requests[*i].active());
  }
  EXPECT_EQ(seen, kEachOnce);
}

TEST_F(RequestsInCpp, WaitSomeReturnsEachOnce) {
  requests[2] = torus->ialltoall(send[2], recv[2]);
  requests[0].start();
  requests[3].start();
  for (std::vector<std::size_t> ended; !(ended = wait_some(requests)).empty();) {
    EXPECT_TRUE(std::ranges::is_sorted(ended));
    for (const std::size_t i : ended) {
      ++seen[i];
      EXPECT_EQ(recv[i], send[i]);
    }
  }
  EXPECT_EQ(seen, (std::array{1, 0, 1, 1})) << "one was not started";
  EXPECT_TRUE(requests[2].null());
}

TEST_F(RequestsInCpp, TestAnyReturnsEachOnce) {
  start_all(requests);
  while (std::ranges::any_of(requests, &Request::active)) {
    const std::optional<std::size_t> i = test_any(requests);
    if (!i) continue;
    ++seen[*i];
    EXPECT_EQ(recv[*i], send[*i]);
    EXPECT_FALSE(requests[*i].active());
  }
  EXPECT_EQ(seen, kEachOnce);
}

TEST_F(RequestsInCpp, TestAllIsAllOrNothing) {
  start_all(requests);
  while (!test_all(requests)) EXPECT_TRUE(std::ranges::all_of(requests, &Request::active));
  EXPECT_TRUE(std::ranges::none_of(requests, &Request::active));
  expect_received();
}

TEST_F(RequestsInCpp, NothingIsToBeWaitedForWhereNoneIsActive) {
  requests.emplace_back();
  for (const std::span<Request> some : {std::span(requests), std::span<Request>()}) {
    EXPECT_EQ(wait_any(some), std::nullopt);
    EXPECT_EQ(wait_some(some), std::vector<std::size_t>());
    EXPECT_EQ(test_any(some), std::nullopt);
    EXPECT_TRUE(test_all(some));
    EXPECT_NO_THROW(wait_all(some));
  }
}

/// A block passes through rank 0 while that rank is already in the next collective call, which the others reach only
/// after they have their blocks.
TEST(Progress, GoesOnInsideCallsThatWaitForOtherRanks) {
  int rank = 0;
  int p = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> dimensions(2, 0);
  MPI_Dims_create(p, 2, dimensions.data());
  Options options;
  options.algorithm = rondo::Algorithm::combining;
  const std::array offset{1, 1};
  Neighborhood diagonal(2);
  diagonal.add(offset);
  CartComm torus(MPI_COMM_WORLD, dimensions, diagonal, options);
  for (const bool create : {false, true}) {
    const std::vector<int> send{rank + 7};
    std::vector<int> recv{-1};
    std::vector<int> other{-1};
    Request early = torus.ialltoall(send, recv);
    const auto collective_call = [&] {
      if (create)
        static_cast<void>(CartComm(MPI_COMM_WORLD, dimensions, diagonal));
      else
        static_cast<void>(torus.alltoall_init(send, other));
    };
    if (rank == 0) collective_call();
    early.wait();
    if (rank != 0) collective_call();
    EXPECT_EQ(recv.front(), torus.sources().front() + 7);
  }
}

TEST_F(Requests, MoveAndDestroy) {
  std::array<int, 2> from{1, 2};
  std::array<int, 2> to{};
  Request first = torus->alltoall_init(std::span<const int>(from), std::span<int>(to));
  Request second = std::move(first);
  EXPECT_TRUE(first.null());  // NOLINT(bugprone-use-after-move): that is what is tested
  second.start();
  first = std::move(second);
  first.wait();
  EXPECT_EQ(to, from);
  // So is one that another is assigned to, as soon as both are gone.
  std::array<int, 2> other{};
  to = {};
  {
    Request active = torus->ialltoall(std::span<const int>(from), std::span<int>(to));
    active = torus->ialltoall(std::span<const int>(from), std::span<int>(other));
    EXPECT_EQ(to, from) << "the temporary that it was swapped with is gone";
  }
  EXPECT_EQ(other, from);
  // An active one is waited for when it is destroyed.
  to = {};
  { Request active = torus->ialltoall(std::span<const int>(from), std::span<int>(to)); }
  EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace rondo::internal::requests_test
