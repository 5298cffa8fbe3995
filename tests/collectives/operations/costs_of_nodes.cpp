// By which costs calls choose, and that all ranks choose alike: on one node, and, with RONDO_TEST_NODES=2, where a rank
// and the second after it are on one, but a rank and the next are not.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace rondo::internal::costs_of_nodes_test {
namespace {

bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

enum class Costs : std::uint8_t { mpi, memory, both };

/// As its explanation says.
Costs costs_of(const Request& request) {
  const std::string text = request.explain();
  if (contains(text, "on a node through shared memory")) return Costs::both;
  return contains(text, "costs: through shared memory") ? Costs::memory : Costs::mpi;
}

/// Of the first candidate, the one that runs: the last word of its row.
double predicted(const Request& request) {
  std::istringstream lines(request.explain());
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  return std::strtod(line.substr(line.rfind(' ')).c_str(), nullptr);
}

/// What all ranks must have alike, as a number that is small enough for any sum.
std::int64_t hash_of(const Request& request) {
  std::istringstream lines(request.explain());
  std::string line;
  std::int64_t hash = 0;
  while (std::getline(lines, line) && !contains(line, "this rank")) {
    for (const char letter : line) hash = (hash * 31 + letter) % 1000003;
  }
  return hash;
}

void expect_alike(const Request& request) {
  std::int64_t least = hash_of(request);
  std::int64_t greatest = least;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(least, greatest) << request.explain();
}

/// A torus of which a column is a node where there are two nodes.
class CostsOfNodes : public ::testing::Test {
 protected:
  Request alltoall(const Neighborhood& neighborhood, const Options& options = {}) {
    CartComm comm = torus.with_neighborhood(neighborhood);
    const auto blocks = static_cast<std::size_t>(neighborhood.size());
    send.assign(blocks, 0);
    recv.assign(blocks, 0);
    return comm.alltoall_init(send, recv, 1, options);
  }
  [[nodiscard]] static Costs all_near() { return test::all_share() || two_nodes() ? Costs::memory : Costs::mpi; }
  [[nodiscard]] static Costs near_and_far() {
    return test::all_share() ? Costs::memory : two_nodes() ? Costs::both : Costs::mpi;
  }
  [[nodiscard]] static bool two_nodes() {
    return std::getenv("RONDO_TEST_NODES") != nullptr && !test::is_set("RONDO_SHM", "off") &&
           !test::is_set("RONDO_SHM", "odd");
  }

  int p = world_size();
  CartComm torus{MPI_COMM_WORLD, {p / 2, 2}, Neighborhood(2)};
  std::vector<int> send;
  std::vector<int> recv;
};

TEST_F(CostsOfNodes, ANeighborhoodThatStaysOnItsNodeCostsWhatMemoryDoes) {
  const Request request = alltoall({{1, 0}, {-1, 0}});
  EXPECT_EQ(costs_of(request), all_near()) << request.explain();
  expect_alike(request);
}

TEST_F(CostsOfNodes, OneFarNeighborIsEnoughForBoth) {
  const Request request = alltoall({{1, 0}, {0, 1}});
  EXPECT_EQ(costs_of(request), near_and_far()) << request.explain();
  expect_alike(request);
}

/// Neighbors of one offset, so that the messages of both are as many.
TEST_F(CostsOfNodes, AFarNeighborCostsMoreThanANearOne) {
  if (p < 4) GTEST_SKIP() << "needs a column of two";
  Options direct;
  direct.algorithm = rondo::Algorithm::direct;
  const double near = predicted(alltoall({{1, 0}, {1, 0}, {0, 1}}, direct));
  const double far = predicted(alltoall({{1, 0}, {0, 1}, {0, 1}}, direct));
  if (two_nodes())
    EXPECT_LT(near, far);
  else
    EXPECT_EQ(near, far);
}

TEST_F(CostsOfNodes, HalosAndAllgathersDoTheSame) {
  std::vector<int> cells(36);
  const Request halo = halo_init(torus, HaloArray::of(cells, {6, 6}, 1));
  EXPECT_EQ(costs_of(halo), near_and_far()) << halo.explain();
  expect_alike(halo);
  CartComm comm = torus.with_neighborhood({{1, 0}, {0, 1}});
  const std::vector<int> one(1);
  recv.assign(2, 0);
  const Request allgather = comm.allgather_init(one, recv);
  EXPECT_EQ(costs_of(allgather), near_and_far()) << allgather.explain();
  expect_alike(allgather);
}

TEST_F(CostsOfNodes, SoDoDenseAlltoallsPersistentAndNonblocking) {
  Comm comm(MPI_COMM_WORLD);
  send.assign(static_cast<std::size_t>(p), 0);
  recv = send;
  const Request persistent = comm.alltoall_init(send, recv);
  EXPECT_EQ(costs_of(persistent), near_and_far()) << persistent.explain();
  expect_alike(persistent);
  Request started = comm.ialltoall(send, recv);
  EXPECT_EQ(costs_of(started), near_and_far()) << started.explain();
  expect_alike(started);
  started.wait();
  Options off;
  off.shm = SharedMemory::off;
  Comm apart(MPI_COMM_WORLD, off);
  EXPECT_EQ(costs_of(apart.alltoall_init(send, recv)), Costs::mpi);
}

/// One that cannot write to all of its node, or that others cannot write to.
TEST_F(CostsOfNodes, NodesThatShareByPairsCountAsFar) {
  Options odd;
  odd.shm = SharedMemory::odd;
  Comm comm(MPI_COMM_WORLD, odd);
  send.assign(static_cast<std::size_t>(p), 0);
  recv = send;
  EXPECT_EQ(costs_of(comm.alltoall_init(send, recv)), Costs::mpi);
}

}  // namespace
}  // namespace rondo::internal::costs_of_nodes_test
