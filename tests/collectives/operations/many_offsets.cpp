// Neighborhoods of thousands of offsets, and of ten dimensions, under mpirun: a collective of each kind against the
// definition.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/mpi_grid.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace rondo::internal::many_offsets_test {
namespace {

constexpr int kUntouched = -77;
constexpr int kCount = 3;

/// Element j of block i of a rank.
int content(int rank, int i, int j) { return rank * 100003 + i * 17 + j; }

/// Calls visit(comm, what) on a torus and on a mesh in one dimension, for each algorithm.
template <typename Visit>
void for_each(Visit visit) {
  const std::vector<Neighborhood> neighborhoods{box(5, 5, -1).minus(Neighborhood{{0, 0, 0, 0, 0}}), box(10, 2, -1)};
  ASSERT_EQ(neighborhoods[0].size(), 3124);
  ASSERT_EQ(neighborhoods[1].size(), 1024);
  for (const Neighborhood& neighborhood : neighborhoods) {
    const int d = neighborhood.dimensions();
    for (const int first : {1, 0}) {
      std::vector<int> periods(static_cast<std::size_t>(d), 1);
      periods[0] = first;
      const CartComm grid(MPI_COMM_WORLD, balanced(d), periods, Neighborhood(d));
      for (const char* algorithm : {"auto", "direct", "combining", "logarithmic"}) {
        Options options;
        options.algorithm = algorithm_from(algorithm);
        CartComm comm = grid.with_neighborhood(neighborhood, options);
        visit(comm, std::string(algorithm) + ", d " + std::to_string(d) + (first == 1 ? ", torus" : ", mesh"));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Blocks of kCount elements, one after the other.
std::vector<int> blocks_of(const CartComm& comm, int blocks) {
  std::vector<int> made;
  for (int i = 0; i < blocks; ++i) {
    for (int j = 0; j < kCount; ++j) made.push_back(content(comm.rank(), i, j));
  }
  return made;
}

/// What arrives: of every source its block i, or the only one.
std::vector<int> received(const CartComm& comm, bool only_one) {
  std::vector<int> expected;
  const std::vector<int> sources = comm.sources();
  for (int i = 0; i < comm.neighbor_count(); ++i) {
    const int source = sources[static_cast<std::size_t>(i)];
    for (int j = 0; j < kCount; ++j)
      expected.push_back(source == MPI_PROC_NULL ? kUntouched : content(source, only_one ? 0 : i, j));
  }
  return expected;
}

TEST(ManyOffsets, Alltoall) {
  for_each([](CartComm& comm, const std::string& what) {
    const std::vector<int> send = blocks_of(comm, comm.neighbor_count());
    std::vector<int> recv(send.size(), kUntouched);
    comm.alltoall(send, recv, kCount);
    ASSERT_EQ(recv, received(comm, false)) << what;
  });
}

TEST(ManyOffsets, Allgather) {
  for_each([](CartComm& comm, const std::string& what) {
    const std::vector<int> send = blocks_of(comm, 1);
    std::vector<int> recv(send.size() * static_cast<std::size_t>(comm.neighbor_count()), kUntouched);
    comm.allgather(send, recv);
    ASSERT_EQ(recv, received(comm, true)) << what;
  });
}

TEST(ManyOffsets, Reduce) {
  for_each([](CartComm& comm, const std::string& what) {
    const std::vector<int> send = blocks_of(comm, 1);
    std::vector<int> recv(send.size(), kUntouched);
    comm.reduce(send, recv, MPI_SUM);
    std::vector<int> expected(send.size());
    for (const int source : comm.sources()) {
      for (int j = 0; j < kCount && source != MPI_PROC_NULL; ++j)
        expected[static_cast<std::size_t>(j)] += content(source, 0, j);
    }
    ASSERT_EQ(recv, expected) << what;  // every rank has a source, on the mesh too
  });
}

}  // namespace
}  // namespace rondo::internal::many_offsets_test
