// MPI_THREAD_SERIALIZED: tasks on any thread start and wait, one at a time inside MPI. RONDO_TEST_THREADS=serialized.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <chrono>
#include <thread>
#include <vector>

namespace rondo::internal::serialized_test {
namespace {

/// The main thread of rank 0 waits for one exchange while another thread starts the next one, for which rank 1 waits
/// first. A thread that waits inside MPI would keep the other thread from posting its messages.
TEST(Serialized, AWaitDoesNotHoldUpTheStartOfAnotherThread) {
  int level = MPI_THREAD_SINGLE;
  int rank = 0;
  int ranks = 0;
  MPI_Query_thread(&level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (level != MPI_THREAD_SERIALIZED || ranks < 2) GTEST_SKIP() << "needs MPI_THREAD_SERIALIZED and two ranks";
  constexpr int kBlock = 1000;
  const auto elements = static_cast<std::size_t>(kBlock * ranks);
  Options over_mpi;
  over_mpi.shm = SharedMemory::off;
  Comm comm(MPI_COMM_WORLD, over_mpi);
  const std::vector<double> sent(elements, rank + 1.0);
  std::vector<double> received(elements);
  std::vector<double> received_later(elements);
  Request first = comm.alltoall_init(sent, received, kBlock);
  Request second = comm.alltoall_init(sent, received_later, kBlock);
  if (rank == 0) {
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until the main thread waits
      second.start();
      while (!second.test()) std::this_thread::yield();
    });
    first.start();
    first.wait();
    other.join();
  } else {
    second.start();
    second.wait();
    first.start();
    first.wait();
  }
  for (const std::vector<double>* all : {&received, &received_later}) {
    for (std::size_t i = 0; i < elements; ++i)
      ASSERT_EQ((*all)[i], static_cast<double>(i / static_cast<std::size_t>(kBlock)) + 1.0);
  }
}

}  // namespace
}  // namespace rondo::internal::serialized_test
