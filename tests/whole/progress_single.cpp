// Progress modes where MPI was started with MPI_THREAD_SINGLE: no thread may call it but the main one.
#include <gtest/gtest.h>
#include <rondo/coroutine.hpp>
#include <rondo/rondo.hpp>
#include <rondo/tbb.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace rondo::internal::progress_single_test {
namespace {

class ProgressSingle : public ::testing::Test {
 protected:
  [[nodiscard]] static Options asking_for(ProgressMode mode) {
    Options options;
    options.progress = mode;
    return options;
  }
  std::vector<int> send_ = std::vector<int>(2, 7);
  std::vector<int> recv_ = std::vector<int>(2);
};

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

long threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

TEST_F(ProgressSingle, EveryModeIsInline) {
  for (const ProgressMode mode :
       {ProgressMode::automatic, ProgressMode::inlined, ProgressMode::workers, ProgressMode::async}) {
    CartComm ring(MPI_COMM_WORLD, {ranks()}, moore(1, 1), asking_for(mode));
    Request request = ring.alltoall_init(send_, recv_);
    EXPECT_EQ(request.progress(), ProgressMode::inlined) << name(mode);
    request.start();
    request.wait();
    EXPECT_EQ(recv_, send_);
  }
}

TEST_F(ProgressSingle, InlineStartsNoThread) {
  const long before = threads();
  CartComm ring(MPI_COMM_WORLD, {ranks()}, moore(1, 1), asking_for(ProgressMode::inlined));
  Request request = ring.alltoall_init(send_, recv_);
  for (int i = 0; i < 10; ++i) {
    request.start();
    request.wait();
  }
  EXPECT_EQ(threads(), before);
}

/// Who waits for one operation inside MPI must not leave another behind whose communicator is only coming: its partner
/// waits for that one first.
TEST_F(ProgressSingle, AFirstCallGoesOnWhileAnotherOperationIsWaitedFor) {
  CartComm ring(MPI_COMM_WORLD, {ranks()}, moore(1, 1));
  Request ready = ring.alltoall_init(send_, recv_);
  const std::vector<int> sent(static_cast<std::size_t>(ranks()), ring.rank());
  std::vector<int> expected;
  for (int i = 0; i < ranks(); ++i) expected.push_back(i);
  for (int repetition = 0; repetition < 20; ++repetition) {
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    std::vector<int> received(sent.size(), -1);
    Rondo_Request first = RONDO_REQUEST_NULL;
    ASSERT_EQ(Rondo_Ialltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, fresh, &first), MPI_SUCCESS);
    std::ranges::fill(recv_, 0);
    if (ring.rank() % 2 == 0) {
      ready.start();
      ready.wait();
      ASSERT_EQ(Rondo_Wait(&first, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
      ASSERT_EQ(Rondo_Wait(&first, MPI_STATUS_IGNORE), MPI_SUCCESS);
      ready.start();
      ready.wait();
    }
    EXPECT_EQ(recv_, send_);
    EXPECT_EQ(received, expected);
    MPI_Comm_free(&fresh);
  }
}

TEST_F(ProgressSingle, TasksCannotWait) {
  if (ranks() < 2) GTEST_SKIP() << "complete at once";
  CartComm ring(MPI_COMM_WORLD, {ranks()}, moore(1, 1));
  Request request = ring.alltoall_init(send_, recv_);
  if (ring.rank() == 0) {
    request.start();
    try {
      tbb::wait(request);
      ADD_FAILURE() << "was not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
      EXPECT_NE(std::string(error.what()).find("MPI_THREAD_SERIALIZED"), std::string::npos) << error.what();
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);  // so that rank 0 cannot have had its blocks before
  if (ring.rank() != 0) request.start();
  request.wait();
  EXPECT_EQ(recv_, send_);
}

}  // namespace
}  // namespace rondo::internal::progress_single_test
