// Algorithms that are asked for one kind of collective alone.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

TEST(AlgorithmsOfKinds, EachTakesWhatConcernsIt) {
  setenv("RONDO_ALGORITHM", "halo:coalesced,cart_alltoall:combining,direct,allreduce:circulant", 1);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rondo::CartComm grid(MPI_COMM_WORLD, {ranks, 1}, rondo::moore(2, 1));
  rondo::Comm all(MPI_COMM_WORLD);
  unsetenv("RONDO_ALGORITHM");
  std::vector<int> cells(100);
  std::vector<int> sent(8);
  std::vector<int> received(8);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(rondo::halo_init(grid, rondo::HaloArray::of(cells, {10, 10}, 1)).algorithm(), "coalesced");
  EXPECT_EQ(grid.alltoall_init(sent, received).algorithm(), "combining");
  EXPECT_EQ(grid.allgather_init(std::span(sent).first(1), received).algorithm(), "direct");
  std::vector<double> numbers(4);
  std::vector<double> sums(4);
  EXPECT_EQ(all.allreduce_init(numbers, sums, MPI_SUM).algorithm(), "circulant");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "nothing that could not be had";
}

}  // namespace
