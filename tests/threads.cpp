// Several threads of each rank at once, on communicators of their own and on one.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "runtime/engine.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace rondo {
namespace {

constexpr int kThreads = 4;
constexpr int kRepetitions = 20;

class Threads : public ::testing::Test {
 protected:
  void SetUp() override {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    ASSERT_EQ(level, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    dimensions_.assign(2, 0);
    MPI_Dims_create(ranks_, 2, dimensions_.data());
  }
  [[nodiscard]] CartComm torus(const char* algorithm) const {
    Options options;
    options.algorithm = algorithm;
    return {MPI_COMM_WORLD, dimensions_, moore(2, 1), options};
  }
  template <typename Body>
  static void on_threads(Body body) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(body, thread);
    for (std::thread& thread : threads) thread.join();
  }

  int rank_ = 0;
  int ranks_ = 0;
  std::vector<int> dimensions_;
};

TEST_F(Threads, TheLevelStaysWhatItWas) {
  const CartComm made = torus("auto");
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  EXPECT_EQ(level, MPI_THREAD_MULTIPLE);
}

TEST_F(Threads, EachOnACommunicatorOfItsOwn) {
  std::vector<CartComm> toruses;
  for (int thread = 0; thread < kThreads; ++thread) toruses.push_back(torus(thread % 2 == 0 ? "combining" : "direct"));
  on_threads([&](int thread) {
    CartComm& mine = toruses[static_cast<std::size_t>(thread)];
    const std::vector<int> sources = mine.sources();
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      const std::vector<int> send(8, mine.rank() * 100 + repetition);
      std::vector<int> recv(8);
      Request request = mine.alltoall_init<int>(send, recv);
      for (int start = 0; start < 3; ++start) {
        request.start();
        request.wait();
      }
      for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(recv[i], sources[i] * 100 + repetition);
    }
  });
}

/// Requests of one communicator, made in one order, are started and waited for by threads in any.
TEST_F(Threads, AllOnOneCommunicator) {
  CartComm shared = torus("combining");
  const std::vector<int> sources = shared.sources();
  std::vector<std::vector<int>> send(kThreads, std::vector<int>(8));
  std::vector<std::vector<int>> recv(kThreads, std::vector<int>(8));
  std::vector<Request> requests;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    requests.push_back(shared.alltoall_init<int>(send[thread], recv[thread]));
  on_threads([&](int thread) {
    const auto mine = static_cast<std::size_t>(thread);
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      for (int& value : send[mine]) value = shared.rank() * 1000 + thread * 100 + repetition;
      requests[mine].start();
      requests[mine].wait();
      for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(recv[mine][i], sources[i] * 1000 + thread * 100 + repetition);
    }
  });
  EXPECT_EQ(Engine::process().transport().in_flight(), 0U);
}

/// The threads share the blocks of one operation among them, the first of them to ask while it is in flight: each block
/// goes to one thread.
TEST_F(Threads, TakeTheBlocksOfOneRequest) {
  for (const char* algorithm : {"direct", "combining"}) {
    CartComm shared = torus(algorithm);
    const std::vector<int> sources = shared.sources();
    std::vector<int> send(8);
    std::vector<int> recv(8);
    Request request = shared.alltoall_init<int>(send, recv);
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      std::fill(send.begin(), send.end(), shared.rank() * 1000 + repetition);
      std::atomic<int> taken = 0;
      request.start();
      on_threads([&](int thread) {
        while (const auto block = request.wait_any_block()) {
          const auto i = static_cast<std::size_t>(*block);
          EXPECT_EQ(recv[i], sources[i] * 1000 + repetition);
          ++taken;
        }
        for (int i = thread; i < 8; i += kThreads) {
          while (!request.sent(i)) {
          }
          send[static_cast<std::size_t>(i)] = -1;
        }
      });
      EXPECT_EQ(taken, 8);
      request.wait();
    }
  }
}

}  // namespace
}  // namespace rondo
