// MPI calls that return errors, at every place where an operation makes one.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "runtime/engine/engine.hpp"

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

enum class Call { isend, irecv, start, testsome, waitall };
constexpr std::array kCalls{Call::isend, Call::irecv, Call::start, Call::testsome, Call::waitall};

/// The next fault: the call after so many of its kind that go well.
std::optional<std::pair<Call, int>> fault;
bool struck = false;
bool for_good = false;  ///< it strikes again and again

bool strikes(Call call) {
  if (!fault || fault->first != call || fault->second-- > 0) return false;
  if (for_good)
    fault->second = 0;
  else
    fault.reset();
  struck = true;
  return true;
}

}  // namespace

extern "C" {
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return strikes(Call::isend) ? MPI_ERR_OTHER : PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return strikes(Call::irecv) ? MPI_ERR_OTHER : PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
}
int MPI_Start(MPI_Request* request) { return strikes(Call::start) ? MPI_ERR_OTHER : PMPI_Start(request); }
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return strikes(Call::waitall) ? MPI_ERR_OTHER : PMPI_Waitall(count, requests, statuses);
}
int MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return strikes(Call::testsome) ? MPI_ERR_OTHER : PMPI_Testsome(count, requests, done, indices, statuses);
}
}

namespace rondo::internal::mpi_faults_test {
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
        request_(const_cast<CartComm&>(torus).alltoall_init<int>(send_, recv_, m, options)) {}

  void start() {
    ++repetition_;
    for (int i = 0; i < t_; ++i) {
      for (int k = 0; k < m_; ++k) send_[place(i, k)] = value(rank_, i, k);
    }
    std::fill(recv_.begin(), recv_.end(), -1);
    request_.start();
  }
  /// Empty, or the error.
  [[nodiscard]] std::string wait() {
    try {
      request_.wait();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
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

int sum_of_all(int value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

class MpiFaults : public ::testing::Test {
 protected:
  MpiFaults() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    // MPICH raises the errors of calls on many requests on MPI_COMM_WORLD.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  /// Starts all, with a fault on the last rank, and checks what comes of it. False: the fault did not strike.
  bool run(std::vector<Exchange>& exchanges, Call call, int after) {
    MPI_Barrier(MPI_COMM_WORLD);
    struck = false;
    if (rank_ == ranks_ - 1) fault = {call, after};
    for (Exchange& exchange : exchanges) exchange.start();
    int failed = 0;
    std::string text;
    for (Exchange& exchange : exchanges) {
      const std::string error = exchange.wait();
      if (error.empty()) {
        EXPECT_TRUE(exchange.right()) << "wrong data and no error";
      } else {
        ++failed;
        text = error;
      }
    }
    fault.reset();
    EXPECT_EQ(Engine::process().transport().in_flight(), 0U);
    const bool anywhere = sum_of_all(struck ? 1 : 0) > 0;
    const int failed_everywhere = sum_of_all(failed);
    if (struck) check_text(call, failed, text);
    if (!anywhere) {
      EXPECT_EQ(failed_everywhere, 0);
    }
    // Everything can be started again.
    SCOPED_TRACE("after " + std::to_string(after) + ", second start");
    for (Exchange& exchange : exchanges) exchange.start();
    for (Exchange& exchange : exchanges) {
      EXPECT_EQ(exchange.wait(), "");
      EXPECT_TRUE(exchange.right());
    }
    return anywhere;
  }

  static void check_text(Call call, int failed, const std::string& text) {
    if (call == Call::waitall) return;  // the poll that follows finds all well
    EXPECT_GE(failed, 1);
    if (call == Call::testsome) {
      EXPECT_NE(text.find("no progress can be made"), std::string::npos) << text;
      return;
    }
    EXPECT_EQ(failed, 1) << "the other operation goes on";
    for (const char* word : {"alltoall_init", "task", "phase", "round", "rank"})
      EXPECT_NE(text.find(word), std::string::npos) << text;
  }

  int rank_ = 0;
  int ranks_ = 0;
};

TEST_F(MpiFaults, EverywhereAndNobodyHangs) {
  int places = 0;
  for (const char* algorithm : {"direct", "combining"}) {
    for (const int m : {1, 3000}) {
      Options options;
      options.algorithm = algorithm;
      std::vector<int> dimensions(2, 0);
      MPI_Dims_create(ranks_, 2, dimensions.data());
      const CartComm torus(MPI_COMM_WORLD, dimensions, moore(2, 1), options);
      std::vector<Exchange> exchanges;
      for (int at_once = 1; at_once <= 2; ++at_once) {
        exchanges.emplace_back(torus, m, options);
        for (const Call call : kCalls) {
          SCOPED_TRACE(std::string(algorithm) + ", m " + std::to_string(m) + ", " + std::to_string(at_once) +
                       " at once, call " + std::to_string(static_cast<int>(call)));
          int after = 0;
          while (after < 200 && run(exchanges, call, after)) ++after;
          if (HasFailure()) return;
          places += after;
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

TEST_F(MpiFaults, WaitAllInCppWaitsForAllAndThrowsTheFirst) {
  if (ranks_ < 2) GTEST_SKIP() << "needs messages";
  CartComm ring(MPI_COMM_WORLD, {ranks_}, moore(1, 1));
  const std::array send{1, 2};
  std::array<std::array<int, 2>, 2> recv{};
  std::vector<Request> requests;
  for (auto& into : recv) requests.push_back(ring.alltoall_init<int>(std::span<const int>(send), std::span<int>(into)));
  fault = {Call::isend, 0};
  start_all(requests);
  fault.reset();
  EXPECT_THROW(wait_all(requests), Error);
  EXPECT_EQ(recv[1], send);
}

}  // namespace
}  // namespace rondo::internal::mpi_faults_test
