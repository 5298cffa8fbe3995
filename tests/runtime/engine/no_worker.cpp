// Progress in the background where the process can have no further thread.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <system_error>
#include <thread>
#include <vector>

namespace rondo::internal::no_worker_test {
namespace {

/// While it lives the process may have little more memory than it has: none for the stack of another thread.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_attr_t large_stacks;
    pthread_attr_init(&large_stacks);
    pthread_attr_setstacksize(&large_stacks, std::size_t{64} << 20U);
    pthread_setattr_default_np(&large_stacks);
    pthread_attr_destroy(&large_stacks);
    getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr rlim_t kEnoughForAll = rlim_t{4} << 20U;
    const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kEnoughForAll;
    const rlimit tight{.rlim_cur = most, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_AS, &tight);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;
  ~NoMoreThreads() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(NoWorker, AsyncIsInline) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  ASSERT_EQ(level, MPI_THREAD_MULTIPLE);
  const NoMoreThreads here;
  ASSERT_THROW(std::thread([] {}).join(), std::system_error) << "the test is of no use";
  Options options;
  options.progress = ProgressMode::async;
  CartComm ring(MPI_COMM_WORLD, {ranks}, moore(1, 1), options);
  const std::vector<int> send(2, 7);
  std::vector<int> recv(2);
  Request request = ring.alltoall_init(send, recv);
  EXPECT_EQ(request.progress(), ProgressMode::inlined);
  for (int i = 0; i < 3; ++i) {
    request.start();
    request.wait();
    EXPECT_EQ(recv, send);
  }
}

}  // namespace
}  // namespace rondo::internal::no_worker_test
