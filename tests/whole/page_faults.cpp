// Calls that were made before touch no page that was not there: a new page takes as long as tens of short messages.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>
#include <rondo/rondo.hpp>

#include "tests/support/mpi_grid.hpp"
#include "tests/support/sanitizers.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace rondo::internal::page_faults_test {
namespace {

[[nodiscard]] long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// A program exchanges, and computes until all are there: a lane's messages are read before the next ones come.
TEST(PageFaults, CallsAfterTheFirstFiveHaveNone) {
  if (test::kAddressSanitizer) GTEST_SKIP() << "its memory grows with every call";
  constexpr int kCalls = 100;
  constexpr long kOfOthers = 24;  // the barrier's, and what the system looks at; a lane has 128 pages
  Comm comm(MPI_COMM_WORLD);
  Neighborhood moore(2);
  for (int i = 0; i < 9; ++i) moore.add(std::vector<int>{i / 3 - 1, i % 3 - 1});
  CartComm grid(MPI_COMM_WORLD, balanced(2), std::vector<int>{1, 1}, moore);
  const auto blocks = 9 * static_cast<std::size_t>(comm.size());
  for (const int bytes : {8, 512, 4096}) {
    const std::vector<std::byte> send(blocks * static_cast<std::size_t>(bytes));
    std::vector<std::byte> recv(send.size());
    const std::vector<double> terms(static_cast<std::size_t>(bytes) / sizeof(double));
    std::vector<double> sums(terms.size());
    Request alltoall = comm.alltoall_init(send.data(), recv.data(), bytes, MPI_BYTE);
    Request allreduce = comm.allreduce_init(terms, sums, MPI_SUM);
    const auto run = [](Request& request) {
      request.start();
      request.wait();
    };
    const std::array<std::pair<const char*, std::function<void()>>, 12> kinds{{
        {"alltoall", [&] { comm.alltoall(send.data(), recv.data(), bytes, MPI_BYTE); }},
        {"ialltoall", [&] { comm.ialltoall(send.data(), recv.data(), bytes, MPI_BYTE).wait(); }},
        {"allgather", [&] { comm.allgather(send.data(), recv.data(), bytes, MPI_BYTE); }},
        {"allreduce", [&] { comm.allreduce(terms, sums, MPI_SUM); }},
        {"iallreduce", [&] { comm.iallreduce(terms, sums, MPI_SUM).wait(); }},
        {"bcast", [&] { comm.bcast(recv.data(), bytes, MPI_BYTE, 0); }},
        {"neighbor alltoall", [&] { grid.alltoall(send.data(), recv.data(), bytes, MPI_BYTE); }},
        {"neighbor ialltoall", [&] { grid.ialltoall(send.data(), recv.data(), bytes, MPI_BYTE).wait(); }},
        {"neighbor allgather", [&] { grid.allgather(send.data(), recv.data(), bytes, MPI_BYTE); }},
        {"neighbor reduce", [&] { grid.reduce(terms, sums, MPI_SUM); }},
        {"persistent alltoall", [&] { run(alltoall); }},
        {"persistent allreduce", [&] { run(allreduce); }},
    }};
    for (const auto& [name, call] : kinds) {
      long before = 0;
      for (int i = 0; i < kCalls; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (i == 5) before = page_faults();
        call();
      }
      EXPECT_LE(page_faults() - before, kOfOthers) << name << ", blocks of " << bytes << " bytes";
    }
  }
}

}  // namespace
}  // namespace rondo::internal::page_faults_test
