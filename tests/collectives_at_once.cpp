// Many operations alive at once on one communicator: all collectives, with buffers of their own, started in another
// order on each rank, on two neighborhoods that share the communicator.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/mpi_grid.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace rondo {
namespace {

constexpr int kUntouched = -77;
constexpr int kCount = 40;

/// Element j of block i that a rank sends in round `round` of operation `number`.
int content(int number, int round, int rank, int i, int j) {
  return ((number * 7 + round) * 211 + rank) * 101 + i * 17 + j;
}

/// One persistent operation with its buffers.
class OneOfMany {
 public:
  OneOfMany(CartComm& comm, int number, const std::string& algorithm) : comm_(comm), number_(number) {
    const auto t = static_cast<std::size_t>(comm.neighbor_count());
    const bool sends_one = kind() == 1 || kind() == 2;
    send_.resize((sends_one ? 1 : t) * kCount);
    recv_.resize((kind() >= 2 ? 1 : t) * kCount);
    Options options;
    options.algorithm = algorithm;
    switch (kind()) {
      case 0:
        request_ = comm.alltoall_init<int>(send_, recv_, kCount, options);
        break;
      case 1:
        request_ = comm.allgather_init<int>(send_, recv_, options);
        break;
      case 2:
        request_ = comm.reduce_init<int>(send_, recv_, MPI_SUM, options);
        break;
      default:
        request_ = comm.scatter_reduce_init<int>(send_, recv_, MPI_SUM, options);
    }
  }

  void start(int round) {
    for (std::size_t j = 0; j < send_.size(); ++j)
      send_[j] = content(number_, round, comm_.rank(), static_cast<int>(j) / kCount, static_cast<int>(j) % kCount);
    std::ranges::fill(recv_, kUntouched);
    request_.start();
  }
  void wait(int round) {
    request_.wait();
    std::vector<int> expected(recv_.size(), kUntouched);
    const std::vector<int> sources = comm_.sources();
    for (int i = 0; i < static_cast<int>(sources.size()); ++i) {
      const int source = sources[static_cast<std::size_t>(i)];
      if (source == MPI_PROC_NULL) continue;
      for (int j = 0; j < kCount; ++j) {
        const int sent = content(number_, round, source, kind() == 0 || kind() == 3 ? i : 0, j);
        int& to = expected[static_cast<std::size_t>((kind() >= 2 ? 0 : i) * kCount + j)];
        to = kind() >= 2 && to != kUntouched ? to + sent : sent;
      }
    }
    ASSERT_EQ(recv_, expected) << "operation " << number_ << ", round " << round;
  }

 private:
  [[nodiscard]] int kind() const { return number_ % 4; }

  CartComm& comm_;
  int number_;
  std::vector<int> send_;
  std::vector<int> recv_;
  Request request_;
};

TEST(CollectivesAtOnce, StartedInAnyOrder) {
  for (const std::vector<int>& periods : {std::vector{1, 1}, {1, 0}}) {
    CartComm one(MPI_COMM_WORLD, balanced(2), periods, moore(2, 1));
    CartComm other = one.with_neighborhood(box(2, 4, -1));
    std::vector<std::unique_ptr<OneOfMany>> operations;
    for (int number = 0; number < 24; ++number) {
      operations.push_back(
          std::make_unique<OneOfMany>(number % 3 == 0 ? other : one, number, number % 2 == 0 ? "combining" : "direct"));
    }
    std::mt19937 random(static_cast<unsigned>(one.rank()));
    for (int round = 0; round < 5; ++round) {
      std::ranges::shuffle(operations, random);
      for (const auto& operation : operations) operation->start(round);
      std::ranges::shuffle(operations, random);
      for (const auto& operation : operations) operation->wait(round);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace rondo
