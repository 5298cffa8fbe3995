// MPI calls that return errors, at every place where an operation makes one.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "runtime/engine/engine.hpp"
#include "tests/support/faults/faulty_runs.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace rondo::internal::mpi_faults::exchanges_test {
namespace {

/// A persistent alltoall on a ring with its buffers, and what came of its last start.
class Exchange {
 public:
  Exchange(const CartComm& torus, int m, const Options& options)
      : m_(m),
        t_(torus.neighbor_count()),
        sources_(torus.sources()),
        rank_(torus.rank()),
        send_(static_cast<std::size_t>(t_ * m)),
        recv_(send_.size()),
        request_(const_cast<CartComm&>(torus).alltoall_init(send_, recv_, m, options)) {}

  void start() {
    ++repetition_;
    for (int i = 0; i < t_; ++i) {
      for (int k = 0; k < m_; ++k) send_[place(i, k)] = value(rank_, i, k);
    }
    std::fill(recv_.begin(), recv_.end(), -1);
    request_.start();
  }
  [[nodiscard]] std::string wait() { return error_of_wait(request_); }
  [[nodiscard]] static std::string name() { return "alltoall_init"; }
  [[nodiscard]] bool right() const {
    for (int i = 0; i < t_; ++i) {
      for (int k = 0; k < m_; ++k) {
        if (recv_[place(i, k)] != value(sources_[static_cast<std::size_t>(i)], i, k)) return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] std::size_t place(int i, int k) const { return static_cast<std::size_t>(i * m_ + k); }
  [[nodiscard]] int value(int rank, int i, int k) const { return ((repetition_ * 31 + rank) * 31 + i) * 31 + k; }

  int m_;
  int t_;
  std::vector<int> sources_;
  int rank_;
  std::vector<int> send_;
  std::vector<int> recv_;
  Request request_;
  int repetition_ = 0;
};

/// For Rondo_On_complete().
void count_call(void* calls) { ++*static_cast<int*>(calls); }

/// An MPI_User_function for numbers with a hole after each.
void add_every_second(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(into)[2 * i] += static_cast<const int*>(from)[2 * i];
}

/// Nonblocking alltoallvs of an int for each rank, the first calls on a communicator, by an algorithm that needs to
/// know of all sizes: they wait for a duplicate to come, and then agree.
class LateCalls {
 public:
  LateCalls() {
    setenv("RONDO_ALGORITHM", "bruck", 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    send.assign(static_cast<std::size_t>(ranks), rank);
    for (int i = 0; i < ranks; ++i) expected.push_back(i);
  }
  LateCalls(const LateCalls&) = delete;
  LateCalls& operator=(const LateCalls&) = delete;
  ~LateCalls() {
    MPI_Comm_free(&comm);
    unsetenv("RONDO_ALGORITHM");
  }
  [[nodiscard]] std::vector<int> room() const { return std::vector<int>(send.size(), -1); }
  [[nodiscard]] Rondo_Request begin(std::vector<int>& recv) const {
    const std::vector<int> counts(send.size(), 1);
    Rondo_Request request = RONDO_REQUEST_NULL;
    EXPECT_EQ(Rondo_Ialltoallv(send.data(), counts.data(), expected.data(), MPI_INT, recv.data(), counts.data(),
                               expected.data(), MPI_INT, comm, &request),
              MPI_SUCCESS);
    return request;
  }

  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> send;
  std::vector<int> expected;  ///< which are the displacements, too
};

TEST_F(MpiFaults, EverywhereAndNobodyHangs) {
  int places = 0;
  for (const char* algorithm : {"direct", "combining"}) {
    for (const int m : {1, 3000}) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      std::vector<int> dimensions(2, 0);
      MPI_Dims_create(ranks_, 2, dimensions.data());
      const CartComm torus(MPI_COMM_WORLD, dimensions, moore(2, 1), options);
      std::vector<Exchange> exchanges;
      for (int at_once = 1; at_once <= 2; ++at_once) {
        exchanges.emplace_back(torus, m, options);
        for (const Call call : kMessageCalls) {
          SCOPED_TRACE(std::string(algorithm) + ", m " + std::to_string(m) + ", " + std::to_string(at_once) +
                       " at once, call " + std::to_string(static_cast<int>(call)));
          places += run_with_each(exchanges, call);
          if (sum_of_all(HasFailure() ? 1 : 0) > 0) return;
        }
      }
    }
  }
  if (rank_ == 0) std::printf("%d places at which a call failed\n", places);
  EXPECT_GT(places, ranks_ > 1 ? 50 : -1);
}

/// Several requests at once: each has its own error, and the call says where to look.
TEST_F(MpiFaults, WaitallSaysWhichFailed) {
  CartComm ring(MPI_COMM_WORLD, {ranks_}, moore(1, 1));
  MPI_Comm_set_errhandler(ring.native(), MPI_ERRORS_RETURN);
  const std::array send{1, 2};
  std::array<std::array<int, 2>, 3> recv{};
  std::array<Rondo_Request, 3> requests{};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(Rondo_Cart_alltoall_init(send.data(), 1, MPI_INT, recv[i].data(), 1, MPI_INT, ring.native(),
                                       MPI_INFO_NULL, &requests[i]),
              MPI_SUCCESS);
  }
  ASSERT_EQ(Rondo_Start(&requests[0]), MPI_SUCCESS);
  struck = false;
  fault = {Call::isend, 0};
  ASSERT_EQ(Rondo_Start(&requests[1]), MPI_SUCCESS) << "the error is the wait's";
  fault.reset();
  ASSERT_EQ(Rondo_Start(&requests[2]), MPI_SUCCESS);
  std::array<MPI_Status, 3> statuses{};
  const int code = Rondo_Waitall(3, requests.data(), statuses.data());
  if (struck) {  // on one rank alone there are no messages
    EXPECT_EQ(code, MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
    EXPECT_NE(statuses[1].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
  } else {
    EXPECT_EQ(code, MPI_SUCCESS);
  }
  for (Rondo_Request& request : requests) EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
}

/// Messages that were lost may come yet: on a communicator that nobody uses again, as the next operation has another.
TEST_F(MpiFaults, ACommunicatorOnWhichMessagesWereLostIsKept) {
  if (ranks_ < 2) GTEST_SKIP() << "needs messages";
  std::array<int, 2> freed{};
  for (const bool lost : {false, true}) {
    {
      const CartComm ring(MPI_COMM_WORLD, {ranks_}, moore(1, 1));
      std::array two{Exchange(ring, 1, {}), Exchange(ring, 1, {})};  // of which MPI is asked together
      for (Exchange& exchange : two) exchange.start();
      MPI_Barrier(MPI_COMM_WORLD);
      if (lost) {
        for_good = true;
        fault = {Call::testsome, 0};
      }
      for (Exchange& exchange : two) EXPECT_EQ(exchange.wait().empty(), !lost);
      for_good = false;
      fault.reset();
      while (Engine::process().transport().in_flight() > 0) static_cast<void>(Engine::process().progress());
      freed_comms = 0;
    }
    freed[lost ? 1 : 0] = freed_comms;
  }
  EXPECT_EQ(freed[1], freed[0] - 1);
  CartComm ring(MPI_COMM_WORLD, {ranks_}, moore(1, 1));
  Exchange next(ring, 1, {});
  next.start();
  EXPECT_EQ(next.wait(), "");
  EXPECT_TRUE(next.right());
}

/// Calls that wait for a communicator to come begin in their order. One that fails meanwhile lets the next one begin.
TEST_F(MpiFaults, ALateCallThatFailsIsNotInTheWayOfTheNext) {
  const LateCalls calls;
  std::array recv{calls.room(), calls.room()};
  std::array<Rondo_Request, 2> requests{};
  fault = {Call::test, 0};
  for (std::size_t i = 0; i < 2; ++i) requests[i] = calls.begin(recv[i]);
  EXPECT_EQ(Rondo_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_ERR_OTHER) << "the first look at the duplicate failed";
  fault.reset();
  EXPECT_EQ(Rondo_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(recv[1], calls.expected);
}

/// It has failed before its schedule was known: there is no block of it, and nothing that could complete but the call.
TEST_F(MpiFaults, ALateCallThatFailsTellsWhoCountsOnIt) {
  const LateCalls late;
  std::vector<int> recv = late.room();
  held_back = true;
  Rondo_Request request = late.begin(recv);
  int calls = 0;
  int flag = 0;
  EXPECT_EQ(Rondo_On_complete(request, count_call, &calls, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1) << "under way";
  EXPECT_EQ(calls, 0);
  held_back = false;
  fault = {Call::test, 0};
  int block = -1;
  EXPECT_EQ(Rondo_Wait_any_block(request, &block), MPI_ERR_OTHER);
  EXPECT_EQ(block, -1);
  EXPECT_EQ(Rondo_Arrived(request, 0, &flag), MPI_ERR_OTHER);
  EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
  fault.reset();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(recv, late.room());
  EXPECT_EQ(Rondo_Alltoall(late.send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, late.comm), MPI_SUCCESS)
      << "the next one";
  EXPECT_EQ(recv, late.expected);
}

/// On one rank it needs no message, and is complete as soon as its communicator is there.
TEST_F(MpiFaults, ACallbackOnACallWhoseCommunicatorIsComingRuns) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const std::vector<int> send(static_cast<std::size_t>(ranks_), 7);
  std::vector<int> recv(send.size());
  Rondo_Request request = RONDO_REQUEST_NULL;
  held_back = true;
  ASSERT_EQ(Rondo_Ialltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, comm, &request), MPI_SUCCESS);
  int calls = 0;
  int flag = 0;
  EXPECT_EQ(Rondo_On_complete(request, count_call, &calls, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1) << "under way";
  EXPECT_EQ(calls, 0);
  held_back = false;
  EXPECT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(recv, send);
  MPI_Comm_free(&comm);
}

/// A rank that has failed reduces nothing any more: what it would pass on is no sum, in whatever form it travels.
TEST_F(MpiFaults, NobodyTakesForASumWhatWasNotReduced) {
  if (ranks_ < 4) GTEST_SKIP() << "needs ranks that pass sums on";
  Options options;
  options.algorithm = rondo::Algorithm::combining;
  options.messages = rondo::MessageForm::datatype;
  CartComm torus(MPI_COMM_WORLD, {2, ranks_ / 2}, box(2, 2, 0), options);
  MPI_Comm_set_errhandler(torus.native(), MPI_ERRORS_RETURN);
  MPI_Datatype with_hole = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &with_hole);
  MPI_Type_commit(&with_hole);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add_every_second, 1, &op);
  constexpr int kNumbers = 3;
  std::array<int, 2 * kNumbers> mine{};
  std::array<int, 2 * kNumbers> sum{};
  Rondo_Request request = RONDO_REQUEST_NULL;
  ASSERT_EQ(
      Rondo_Cart_reduce_init(mine.data(), sum.data(), kNumbers, with_hole, op, torus.native(), MPI_INFO_NULL, &request),
      MPI_SUCCESS);
  int repetition = 0;
  int places = 0;
  for (const Call call : {Call::isend, Call::irecv, Call::reduce}) {
    bool anywhere = true;
    for (int after = 0; anywhere; ++after) {
      mine.fill(rank_ * 10 + ++repetition);  // what is left of the start before is no sum either
      int right = 0;
      for (const int source : torus.sources()) right += source * 10 + repetition;
      MPI_Barrier(MPI_COMM_WORLD);
      struck = false;
      if (rank_ == ranks_ - 1) fault = {call, after};
      EXPECT_EQ(Rondo_Start(&request), MPI_SUCCESS);
      const int code = Rondo_Wait(&request, MPI_STATUS_IGNORE);
      fault.reset();
      for (std::size_t i = 0; i < sum.size() && code == MPI_SUCCESS; i += 2)
        EXPECT_EQ(sum[i], right) << "and no error, call " << static_cast<int>(call) << " after " << after;
      EXPECT_TRUE(!struck || code != MPI_SUCCESS);
      anywhere = sum_of_all(struck ? 1 : 0) > 0;
      places += anywhere ? 1 : 0;
    }
  }
  EXPECT_GE(places, 6) << "at least one message and one sum in each of two dimensions";
  EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS);
  MPI_Op_free(&op);
  MPI_Type_free(&with_hole);
}

/// MPI can't say any more how its requests are: the operations are given up, and what is made after that is right.
TEST_F(MpiFaults, PollsThatFailForGoodEndTheWait) {
  if (ranks_ < 2) GTEST_SKIP() << "needs messages";
  CartComm ring(MPI_COMM_WORLD, {ranks_}, moore(1, 1));
  // Never freed: MPI may touch the buffers of what is given up until it is finalized.
  static auto& first = *new Exchange(ring, 1, {});
  static auto& second = *new Exchange(ring, 1, {});
  first.start();
  second.start();
  MPI_Barrier(MPI_COMM_WORLD);
  for_good = true;
  fault = {Call::testsome, 0};
  for (Exchange* exchange : {&first, &second}) {
    const std::string text = exchange->wait();
    EXPECT_NE(text.find("given up"), std::string::npos) << text;
  }
  for_good = false;
  fault.reset();
  EXPECT_THROW(first.start(), Error) << "messages were lost";
  MPI_Barrier(MPI_COMM_WORLD);
  Exchange again(ring, 1, {});
  again.start();
  EXPECT_EQ(again.wait(), "");
  EXPECT_TRUE(again.right());
  // What was given up is complete by now, as all ranks had posted it.
  while (Engine::process().transport().in_flight() > 0) static_cast<void>(Engine::process().progress());
}

/// Several persistent requests, of which the first fails on all ranks each time that it is started.
class FaultOfTheFirst : public MpiFaults {
 protected:
  void SetUp() override {
    MpiFaults::SetUp();
    if (ranks_ < 2) GTEST_SKIP() << "needs messages";
    ring_.emplace(MPI_COMM_WORLD, std::initializer_list<int>{ranks_}, moore(1, 1));
    for (auto& into : recv_) requests_.push_back(ring_->alltoall_init(send_, into));
  }
  void start() {
    for (auto& into : recv_) into = {};
    fault = {Call::isend, 0};
    start_all(requests_);
    fault.reset();
  }
  /// The number that the failure which `wait` throws begins with.
  template <typename Wait>
  std::string thrown_by(Wait wait) {
    try {
      wait();
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
      return std::string(error.what()).substr(0, std::string("requests[0]: ").size());
    }
    return "nothing";
  }
  void expect_that_all_can_be_started() {
    EXPECT_NO_THROW(start_all(requests_)) << "none is active any more";
    EXPECT_NO_THROW(wait_all(requests_));
    for (const auto& into : recv_) EXPECT_EQ(into, send_);
  }

  std::optional<CartComm> ring_;
  std::array<int, 2> send_{1, 2};
  std::array<std::array<int, 2>, 3> recv_{};
  std::vector<Request> requests_;
};

TEST_F(FaultOfTheFirst, WaitAllWaitsForAllAndThrowsIt) {
  start();
  EXPECT_EQ(thrown_by([&] { wait_all(requests_); }), "requests[0]: ");
  EXPECT_EQ(recv_[1], send_);
  EXPECT_EQ(recv_[2], send_);
  expect_that_all_can_be_started();
}

TEST_F(FaultOfTheFirst, WaitAnyLeavesTheOthersAlone) {
  start();
  std::vector<std::string> told;
  for (bool over = false; !over;) {
    told.push_back(thrown_by([&] {
      const std::optional<std::size_t> i = wait_any(requests_);
      if (i) {
        EXPECT_EQ(recv_[*i], send_);
      }
      over = !i;
    }));
  }
  EXPECT_EQ(std::ranges::count(told, "requests[0]: "), 1);
  EXPECT_EQ(told.size(), 4U) << "it, the two others, and that there are no more";
  expect_that_all_can_be_started();
}

TEST_F(FaultOfTheFirst, TestAnyEndsIt) {
  start();
  EXPECT_EQ(thrown_by([&] {
              while (requests_[0].active()) static_cast<void>(test_any(std::span(requests_).first(1)));
            }),
            "requests[0]: ");
  EXPECT_FALSE(requests_[0].active());
  EXPECT_TRUE(requests_[1].active() && requests_[2].active());
  wait_all(requests_);
  expect_that_all_can_be_started();
}

TEST_F(FaultOfTheFirst, WaitSomeThrowsItWhenThereIsNothingElse) {
  start();
  while (Engine::process().transport().in_flight() > 0) static_cast<void>(Engine::process().progress());
  EXPECT_EQ(wait_some(requests_), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(requests_[0].active());
  EXPECT_EQ(thrown_by([&] { return wait_some(requests_); }), "requests[0]: ");
  EXPECT_EQ(wait_some(requests_), std::vector<std::size_t>());
  expect_that_all_can_be_started();
}

TEST_F(FaultOfTheFirst, TestAllEndsAllAndThrowsIt) {
  start();
  EXPECT_EQ(thrown_by([&] {
              while (!test_all(requests_)) EXPECT_TRUE(std::ranges::all_of(requests_, &Request::active));
            }),
            "requests[0]: ");
  EXPECT_TRUE(std::ranges::none_of(requests_, &Request::active));
  expect_that_all_can_be_started();
}

}  // namespace
}  // namespace rondo::internal::mpi_faults::exchanges_test
