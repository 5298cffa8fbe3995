// What a process tells when it is asked, or has waited in vain for too long.
#include "runtime/engine/hang_report.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "runtime/engine/engine.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <array>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

namespace rondo::internal::hang_report_test {
namespace {

/// Rank 0 exchanges with rank 1, which may be late. 300000 bytes do not travel before they are received.
class HangReport : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const char* bad : {"soon", "-1", "0", "5s"}) {
      setenv("RONDO_TIMEOUT", bad, 1);
      try {
        const CartComm torus(MPI_COMM_WORLD, {2}, moore(1, 1));
        ADD_FAILURE() << "RONDO_TIMEOUT=" << bad << " is accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.error_class(), MPI_ERR_INFO_VALUE);
        expect_words(error.what(), {"RONDO_TIMEOUT", bad, "seconds"});
      }
    }
    setenv("RONDO_TIMEOUT", "0.5", 1);
    setenv("RONDO_SIGNALS", "perhaps", 1);
    EXPECT_THROW(CartComm(MPI_COMM_WORLD, {2}, moore(1, 1)), Error);
    unsetenv("RONDO_SIGNALS");
  }
  HangReport() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    int pid = getpid();
    MPI_Allgather(&pid, 1, MPI_INT, pids_.data(), 1, MPI_INT, MPI_COMM_WORLD);
  }
  [[nodiscard]] Request exchange(int bytes) {
    auto& buffers = kept_buffers(bytes);
    return torus_.alltoall_init(buffers[0], buffers[1], bytes);
  }
  /// The same, started.
  [[nodiscard]] Request start_nonblocking(int bytes) {
    auto& buffers = kept_buffers(bytes);
    return torus_.ialltoall(buffers[0], buffers[1], bytes);
  }
  /// Never freed: MPI may touch the buffers of an operation that was given up until it is finalized.
  std::array<std::vector<char>, 2>& kept_buffers(int bytes) {
    static auto& kept = *new std::deque<std::array<std::vector<char>, 2>>;
    auto& buffers = kept.emplace_back();
    buffers.fill(std::vector<char>(static_cast<std::size_t>(2 * bytes), static_cast<char>(rank_)));
    return buffers;
  }
  /// What it reports now.
  static std::string report() {
    const CapturedErrors errors;
    raise(SIGUSR1);
    return errors.text();
  }

  int rank_ = 0;
  std::array<int, 2> pids_{};
  CartComm torus_{MPI_COMM_WORLD, {2}, moore(1, 1)};
};

TEST_F(HangReport, OnSigusr1) {
  Request request = exchange(300000);
  if (rank_ == 0) {
    {
      const CapturedErrors errors;
      raise(SIGUSR1);
      expect_words(errors.text(), {"[rondo] rank 0: SIGUSR1: nothing is in flight"});
    }
    request.start();
    const CapturedErrors errors;
    raise(SIGUSR1);
    expect_words(errors.text(), {"[rondo] rank 0: SIGUSR1: in flight:", "CartComm::alltoall_init (",
                                 ") on a communicator of 2 ranks: ", "tasks are left; its tags begin at ",
                                 "; it is waiting for", "receive from rank 1 (task ", "send to rank 1 (task ",
                                 "round 0", " bytes", "if another rank reports another call with the same tags"});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 1) request.start();
  request.wait();
}

/// The one that runs, those that are ready, and those that a message is for.
TEST_F(HangReport, NamesFunctions) {
  std::string amid;
  OwnCollective computing(MPI_COMM_WORLD, "computing", [&](rondo::ScheduleBuilder& build, int rank, int) {
    const Block got = build.recv_block(0, 8);
    if (rank == 0) {
      build.receive(1, got);
      build.compute(
          got, got, [](const ComputeBlocks&) {}, "left edge");
      build.compute(
          {}, build.recv_block(8, 8), [&](const ComputeBlocks&) { amid = report(); }, "tile");
    } else {
      build.send(0, build.send_block(0, 8));
    }
  });
  std::array<double, 2> send{};
  std::array<double, 2> recv{};
  Request request = computing.init(send, recv);
  if (rank_ == 0) {
    request.start();
    expect_words(report(), {"computing (own) on MPI_COMM_WORLD (2 ranks): 3 of 3 tasks are left; functions are ready"});
    EXPECT_FALSE(request.test());
    expect_words(amid, {"computing (own) on MPI_COMM_WORLD (2 ranks): it runs compute \"tile\" (task 2, "});
    expect_words(report(), {"receive from rank 1 (task 0, ", "8 bytes", ", for compute \"left edge\" (task 1, "});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 1) request.start();
  request.wait();
}

/// Short ones, in slots and in lanes, are awaited in shared memory, long ones over MPI.
TEST_F(HangReport, SaysWhichWayAMessageIsAwaited) {
  if (!test::all_share()) GTEST_SKIP() << "all take MPI";
  for (const bool persistent : {true, false}) {
    for (const int bytes : {8, 300000}) {
      Request request;
      if (persistent) request = exchange(bytes);
      const auto start = [&] {
        if (persistent)
          request.start();
        else
          request = start_nonblocking(bytes);
      };
      if (rank_ == 0) {
        start();
        const std::string text = report();
        expect_words(text, {"receive from rank 1 (task "});
        EXPECT_EQ(text.find(" bytes through shared memory\n") != std::string::npos, bytes == 8) << text;
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank_ == 1) start();
      request.wait();
    }
  }
}

TEST_F(HangReport, OnSigusr1InsideAWait) {
  Request request = exchange(300000);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    const CapturedErrors errors;
    request.start();
    request.wait();
    expect_words(errors.text(), {"SIGUSR1: in flight:", "receive from rank 1"});
  } else {
    for (int i = 0; i < 3; ++i) {
      usleep(30000);
      kill(pids_[0], SIGUSR1);
    }
    usleep(30000);
    request.start();
    request.wait();
  }
}

TEST_F(HangReport, OnSigusr1InsideAnInit) {
  if (rank_ == 0) {
    const CapturedErrors errors;
    const Request request = exchange(8);
    expect_words(errors.text(),
                 {"SIGUSR1: nothing is in flight",
                  "CartComm::alltoall_init waits for the other ranks of a communicator of 2 ranks; 0 s"});
  } else {
    for (int i = 0; i < 3; ++i) {
      usleep(30000);
      kill(pids_[0], SIGUSR1);
    }
    usleep(30000);
    const Request request = exchange(8);
  }
}

TEST_F(HangReport, TheTimeoutEndsAWaitWithTheWholeStory) {
  for (const int bytes : {8, 300000}) {
    Request request = exchange(bytes);
    if (rank_ == 0) {
      const CapturedErrors errors;
      request.start();
      try {
        request.wait();
        ADD_FAILURE() << "nobody answered, and the wait ended well";
      } catch (const Error& error) {
        EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
        expect_words(error.what(), {"alltoall", " on a communicator of 2 ranks: ",
                                    "no message moved for 500 ms (RONDO_TIMEOUT)", "receive from rank 1"});
      }
      expect_words(errors.text(), {"RONDO_TIMEOUT", "in flight:", "receive from rank 1"});
      EXPECT_THROW(request.start(), Error) << "messages were lost";
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// What the partner sends too late for a call that was given up lies in the lane, and hides nothing that comes later.
TEST_F(HangReport, TheTimeoutEndsAWaitForAMessageInALane) {
  if (rank_ == 0) {
    const CapturedErrors errors;
    Request request = start_nonblocking(8);
    try {
      request.wait();
      ADD_FAILURE() << "nobody answered, and the wait ended well";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
      expect_words(error.what(), {"CartComm::ialltoall (", " on a communicator of 2 ranks: ",
                                  "no message moved for 500 ms (RONDO_TIMEOUT)", "receive from rank 1"});
    }
    expect_words(errors.text(), {"RONDO_TIMEOUT", "in flight:", "receive from rank 1"});
    if (test::all_share()) expect_words(errors.text(), {" bytes through shared memory"});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 1) start_nonblocking(8).wait();
  CartComm other(MPI_COMM_WORLD, {2}, moore(1, 1));
  const std::vector<int> send{10 * rank_, 10 * rank_ + 1};
  std::vector<int> recv(2);
  other.ialltoall(send, recv).wait();
  EXPECT_EQ(recv, (std::vector<int>{10 * (1 - rank_), 10 * (1 - rank_) + 1}));
}

TEST_F(HangReport, APauseOfTheApplicationIsNoHang) {
  Request request = exchange(300000);
  request.start();
  usleep(700000);  // longer than the timeout
  request.wait();
}

TEST_F(HangReport, TheTimeoutEndsALoopOfTestsToo) {
  Request request = exchange(300000);
  if (rank_ == 0) {
    const CapturedErrors errors;
    request.start();
    EXPECT_THROW(while (!request.test()) usleep(1000), Error);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 1) {
    const CapturedErrors errors;
    request.start();
    EXPECT_THROW(request.wait(), Error);
  }
}

}  // namespace
}  // namespace rondo::internal::hang_report_test
