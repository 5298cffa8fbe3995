// Ranks whose cores share no cache: what is long goes over MPI between these, and through shared memory between others.
// Even ranks have one cache, odd ones another.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.hpp>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "runtime/schedule/message_form_costs.hpp"
#include "tests/support/mpi_grid.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace rondo::internal::shared_cache_test {
namespace {

/// Before MPI_Init.
const bool kNamed = [] {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* const rank = std::getenv(variable))
      return setenv("RONDO_SHARED_CACHE", std::atoi(rank) % 2 == 0 ? "even" : "odd", 1) == 0;
  }
  return false;
}();

/// The byte that rank `from` sends to rank `to` at place `i` of a block.
std::byte sent(int from, int to, std::size_t i) {
  return static_cast<std::byte>((static_cast<std::size_t>(31 * from + 7 * to) + i) % 251);
}

class Alltoall {
 public:
  explicit Alltoall(std::int64_t bytes) : block_(static_cast<std::size_t>(bytes)) {
    for (int to = 0; to < test::all_ranks(); ++to) {
      for (std::size_t i = 0; i < block_; ++i) send.push_back(sent(test::own_rank(), to, i));
    }
    recv.resize(send.size());
  }
  void expect_arrived(const char* form) {
    for (std::size_t at = 0; at < recv.size(); ++at) {
      const int from = static_cast<int>(at / block_);
      ASSERT_EQ(recv[at], sent(from, test::own_rank(), at % block_))
          << form << ", " << block_ << " bytes, place " << at;
    }
    recv.assign(recv.size(), std::byte{0xFF});
  }
  std::vector<std::byte> send;
  std::vector<std::byte> recv;

 private:
  std::size_t block_;
};

TEST(SharedCache, DataOfAnyLengthArrive) {
  ASSERT_TRUE(kNamed) << "no launcher says the rank";
  Comm comm(MPI_COMM_WORLD);
  for (const std::int64_t bytes :
       {std::int64_t{8}, kLongestBetweenCaches, kLongestBetweenCaches + 1, kLongestInLane, kLongestInSlot + 1}) {
    Alltoall of(bytes);
    const int count = static_cast<int>(bytes);
    Request request = comm.alltoall_init(of.send.data(), of.recv.data(), count, MPI_BYTE);
    for (int start = 0; start < 5; ++start) {
      comm.alltoall(of.send.data(), of.recv.data(), count, MPI_BYTE);
      of.expect_arrived("blocking");
      comm.ialltoall(of.send.data(), of.recv.data(), count, MPI_BYTE).wait();
      of.expect_arrived("nonblocking");
      request.start();
      request.wait();
      of.expect_arrived("persistent");
    }
  }
}

/// Dense communicators, grids and duplicates of grids choose algorithms as if long messages took MPI.
TEST(SharedCache, RanksAgreeThatTheyShareNone) {
  const auto longest = [](const CommState& state) { return state.costs(Medium::lanes).form_costs().longest_in_memory; };
  Comm comm(MPI_COMM_WORLD);
  EXPECT_EQ(longest(*DenseContext::ready(MPI_COMM_WORLD, "the test")->calls().on()), kLongestBetweenCaches);
  Neighborhood ring(1);
  ring.add(std::vector<int>{1});
  CartComm grid(MPI_COMM_WORLD, {test::all_ranks()}, {1}, ring);
  EXPECT_EQ(longest(*NeighborhoodContext::of(grid.native()).calls().on()), kLongestBetweenCaches);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(grid.native(), &copy);
  EXPECT_EQ(longest(*NeighborhoodContext::of(copy).calls().on()), kLongestBetweenCaches);
  MPI_Comm_free(&copy);
}

/// Messages between two even ranks, or two odd ones, take shared memory at any length; all other messages only up to
/// kLongestBetweenCaches bytes.
TEST(SharedCache, AnExplanationSaysWhichMessagesTakeSharedMemory) {
  if (!test::all_share() || test::all_ranks() < 2) GTEST_SKIP() << "there is no shared memory";
  Options options;
  options.algorithm = ::rondo::Algorithm::direct;
  Comm comm(MPI_COMM_WORLD, options);
  const int others = test::all_ranks() - 1;
  const int of_own_cache = (test::all_ranks() + (test::own_rank() % 2 == 0 ? 1 : 0)) / 2 - 1;
  const auto explained = [&](std::int64_t bytes) {
    Alltoall of(bytes);
    return comm.alltoall_init(of.send.data(), of.recv.data(), static_cast<int>(bytes), MPI_BYTE).explain();
  };
  const std::string all = std::to_string(2 * others) + " messages";
  EXPECT_NE(explained(kLongestBetweenCaches).find("this rank: " + std::to_string(2 * others) + " of " + all),
            std::string::npos)
      << explained(kLongestBetweenCaches);
  const std::string longer = explained(kLongestBetweenCaches + 1);
  EXPECT_NE(longer.find("this rank: " + std::to_string(2 * of_own_cache) + " of " + all), std::string::npos) << longer;
  EXPECT_NE(longer.find("no shared memory with a partner: for messages of more than 8192 bytes, because their cores "
                        "share no cache"),
            std::string::npos)
      << longer;
}

}  // namespace
}  // namespace rondo::internal::shared_cache_test
