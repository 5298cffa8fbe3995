// Several threads of each rank at once, on communicators of their own and on one.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "runtime/engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace rondo::internal::threads_test {
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
    options.algorithm = algorithm_from(algorithm);
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
      Request request = mine.alltoall_init(send, recv);
      for (int start = 0; start < 3; ++start) {
        request.start();
        request.wait();
      }
      for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(recv[i], sources[i] * 100 + repetition);
    }
  });
}

/// Calls that are recognized, as they are made again with the same arguments.
TEST_F(Threads, RepeatBlockingCallsOnCommunicatorsOfTheirOwn) {
  std::vector<CartComm> toruses;
  for (int thread = 0; thread < kThreads; ++thread) toruses.push_back(torus("auto"));
  on_threads([&](int thread) {
    CartComm& mine = toruses[static_cast<std::size_t>(thread)];
    const std::vector<int> sources = mine.sources();
    std::vector<int> send(8);
    std::vector<int> recv(8);
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      for (int& value : send) value = mine.rank() * 1000 + thread * 100 + repetition;
      mine.alltoall(send, recv);
      for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(recv[i], sources[i] * 1000 + thread * 100 + repetition);
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
    requests.push_back(shared.alltoall_init(send[thread], recv[thread]));
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
    Request request = shared.alltoall_init(send, recv);
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

/// An int for each rank, and for alltoallv one to three of them, with what they are to become.
struct DenseBuffers {
  DenseBuffers(int rank, int ranks) : of_rank(rank) {
    int sent = 0;
    int received = 0;
    for (int j = 0; j < ranks; ++j) {
      send_counts.push_back(count(rank, j));
      recv_counts.push_back(count(j, rank));
      send_places.push_back(std::exchange(sent, sent + send_counts.back()));
      recv_places.push_back(std::exchange(received, received + recv_counts.back()));
    }
    send.resize(static_cast<std::size_t>(sent));
    recv.resize(static_cast<std::size_t>(received));
    send_one.resize(static_cast<std::size_t>(ranks));
    recv_one.resize(static_cast<std::size_t>(ranks));
  }
  static int count(int source, int target) { return 1 + (source + 2 * target) % 3; }
  static int content(int salt, int source, int target) { return (salt * 100 + source) * 100 + target; }
  template <typename Visit>
  static void for_each(const std::vector<int>& counts, std::vector<int>& elements, Visit visit) {
    auto next = elements.begin();
    for (std::size_t j = 0; j < counts.size(); ++j) {
      for (int k = 0; k < counts[j]; ++k) visit(static_cast<int>(j), *next++);
    }
  }

  /// `salt` tells one exchange from another.
  void fill(int salt) {
    for_each(send_counts, send, [&](int j, int& element) { element = content(salt, of_rank, j); });
    for_each(one_each(), send_one, [&](int j, int& element) { element = content(salt, of_rank, j); });
    std::ranges::fill(recv, -1);
    std::ranges::fill(recv_one, -1);
  }
  void expect_v(int salt) {
    for_each(recv_counts, recv, [&](int j, int element) { EXPECT_EQ(element, content(salt, j, of_rank)); });
  }
  void expect_one(int salt) {
    for_each(one_each(), recv_one, [&](int j, int element) { EXPECT_EQ(element, content(salt, j, of_rank)); });
  }
  [[nodiscard]] std::vector<int> one_each() const { return std::vector<int>(send_counts.size(), 1); }

  [[nodiscard]] Request ialltoall(Comm& comm) { return comm.ialltoall(send_one, recv_one); }
  [[nodiscard]] Request alltoall_init(Comm& comm) { return comm.alltoall_init(send_one, recv_one); }
  [[nodiscard]] Request ialltoallv(Comm& comm) {
    return comm.ialltoallv(send, {send_counts, send_places}, recv, {recv_counts, recv_places});
  }
  [[nodiscard]] Request alltoallv_init(Comm& comm) {
    return comm.alltoallv_init(send, {send_counts, send_places}, recv, {recv_counts, recv_places});
  }

  int of_rank;
  std::vector<int> send_counts, send_places, recv_counts, recv_places;
  std::vector<int> send, recv, send_one, recv_one;
};

/// Bruck's algorithm, asked for, agrees on sizes in every call of alltoallv.
TEST_F(Threads, DenseEachOnACommunicatorOfItsOwn) {
  std::vector<Comm> comms;
  for (int thread = 0; thread < kThreads; ++thread) {
    Options options;
    options.algorithm = thread % 2 == 0 ? rondo::Algorithm::bruck : rondo::Algorithm::automatic;
    comms.emplace_back(MPI_COMM_WORLD, options);
  }
  on_threads([&](int thread) {
    Comm& mine = comms[static_cast<std::size_t>(thread)];
    DenseBuffers buffers(rank_, ranks_);
    Request persistent = buffers.alltoall_init(mine);
    Request persistent_v = buffers.alltoallv_init(mine);
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      const int salt = thread * kRepetitions + repetition;
      buffers.fill(salt);
      Request request = buffers.ialltoall(mine);
      Request request_v = buffers.ialltoallv(mine);
      request_v.wait();
      request.wait();
      buffers.expect_one(salt);
      buffers.expect_v(salt);
      buffers.fill(salt + 1);
      persistent.start();
      persistent_v.start();
      persistent_v.wait();
      persistent.wait();
      buffers.expect_one(salt + 1);
      buffers.expect_v(salt + 1);
    }
  });
  EXPECT_EQ(Engine::process().transport().in_flight(), 0U);
}

/// Requests of one communicator, made in one order, are completed by threads in any.
TEST_F(Threads, DenseOnOneCommunicator) {
  for (const char* algorithm : {"auto", "bruck"}) {
    Options options;
    options.algorithm = algorithm_from(algorithm);
    Comm shared(MPI_COMM_WORLD, options);
    std::vector<DenseBuffers> buffers(kThreads, DenseBuffers(rank_, ranks_));
    std::vector<Request> persistent;
    for (DenseBuffers& each : buffers) {
      persistent.push_back(each.alltoall_init(shared));
      persistent.push_back(each.alltoallv_init(shared));
    }
    on_threads([&](int thread) {
      const auto mine = static_cast<std::size_t>(thread);
      for (int repetition = 0; repetition < kRepetitions; ++repetition) {
        const int salt = thread * kRepetitions + repetition;
        buffers[mine].fill(salt);
        for (const std::size_t which : {2 * mine, 2 * mine + 1}) persistent[which].start();
        for (const std::size_t which : {2 * mine + 1, 2 * mine}) persistent[which].wait();
        buffers[mine].expect_one(salt);
        buffers[mine].expect_v(salt);
      }
    });
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      std::vector<Request> requests;
      for (std::size_t thread = 0; thread < kThreads; ++thread) {
        buffers[thread].fill(static_cast<int>(thread) + repetition);
        requests.push_back(buffers[thread].ialltoallv(shared));
        requests.push_back(buffers[thread].ialltoall(shared));
      }
      on_threads([&](int thread) {
        const auto mine = static_cast<std::size_t>(thread);
        for (const std::size_t which : {2 * mine + 1, 2 * mine}) requests[which].wait();
        buffers[mine].expect_one(thread + repetition);
        buffers[mine].expect_v(thread + repetition);
      });
    }
  }
  EXPECT_EQ(Engine::process().transport().in_flight(), 0U);
}

}  // namespace
}  // namespace rondo::internal::threads_test
