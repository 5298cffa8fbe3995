// The randomized alltoall under mpirun with all its options: segments of a few bytes of blocks with gaps, both queues,
// seeds of all kinds.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "runtime/operation/request_table.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace rondo::internal::randomized_alltoall_test {
namespace {

constexpr int kGaps = 2;  ///< ints from one element to the next

/// Blocks of ints of different sizes, every second int of a buffer of their own.
struct SpreadBlocks {
  SpreadBlocks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Type_create_resized(MPI_INT, 0, kGaps * static_cast<MPI_Aint>(sizeof(int)), &spread);
    MPI_Type_commit(&spread);
    send.resize(at(p));
    recv.resize(at(p));
    expected.resize(at(p));
    for (int j = 0; j < p; ++j) {
      for (int k = 0; k < count(rank, j); ++k) send[at(j)].insert(send[at(j)].end(), {content(rank, j, k), -5});
      for (int k = 0; k < count(j, rank); ++k) expected[at(j)].insert(expected[at(j)].end(), {content(j, rank, k), -1});
      recv[at(j)].resize(expected[at(j)].size());
    }
    for (int j = 0; j < p; ++j) {
      from.push_back({send[at(j)].data(), count(rank, j), spread});
      to.push_back({recv[at(j)].data(), count(j, rank), spread});
    }
  }
  SpreadBlocks(const SpreadBlocks&) = delete;
  SpreadBlocks& operator=(const SpreadBlocks&) = delete;
  ~SpreadBlocks() { MPI_Type_free(&spread); }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// 0 to 30 elements: some blocks are empty, some have no whole segment, some a number of whole ones.
  static int count(int source, int target) { return (source * 3 + target * 5) % 7 * 5; }
  static int content(int source, int target, int k) { return source * 1000003 + target * 1009 + k; }
  void clear() {
    for (auto& block : recv) std::ranges::fill(block, -1);
  }

  int rank = 0;
  int p = 0;
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  std::vector<std::vector<int>> send, recv, expected;
  std::vector<SendBlock> from;
  std::vector<RecvBlock> to;
};

TEST(RandomizedAlltoall, WithAllOptions) {
  SpreadBlocks blocks;
  for (const char* algorithm : {"scatter", "randomized", "segmented", "paper"}) {
    for (const char* queue : {"window", "batches"}) {
      for (const char* seed : {"size", "calls", "12345"}) {
        for (const int ports : {0, 1, 3}) {
          Options options;
          options.algorithm = algorithm_from(algorithm);
          options.dense.queue = queue_from(queue);
          options.dense.seed = seed;
          options.ports = ports;
          options.dense.segment = 24;
          const std::string what = std::string(algorithm) + ", " + queue + ", seed " + seed + ", ports " +
                                   std::to_string(ports) + ", rank " + std::to_string(blocks.rank);
          Comm comm(MPI_COMM_WORLD, options);
          for (int call = 0; call < 2; ++call) {
            blocks.clear();
            comm.alltoallw(blocks.from, blocks.to);
            ASSERT_EQ(blocks.recv, blocks.expected) << what;
          }
          Request persistent = comm.alltoallw_init(blocks.from, blocks.to);
          EXPECT_TRUE(persistent.algorithm().starts_with(algorithm)) << persistent.algorithm();
          for (int repetition = 0; repetition < 2; ++repetition) {
            blocks.clear();
            persistent.start();
            persistent.wait();
            ASSERT_EQ(blocks.recv, blocks.expected) << what << ", persistent";
          }
        }
      }
    }
  }
}

/// The first row of the matrix that a request of the algorithm randomized goes by.
std::vector<int> row_of(const Request& request, int rank, int p) {
  std::vector<int> row(static_cast<std::size_t>(p), rank);
  for (const Task& task : RequestTable::process().at(request.native()).execution().schedule().tasks()) {
    if (task.kind == TaskKind::send) row[(task.round + static_cast<std::size_t>(rank)) % row.size()] = task.peer;
  }
  return row;
}

/// Without a message between them.
TEST(RandomizedAlltoall, SeedsAgreeOnAllRanksAndDifferWhereAskedFor) {
  SpreadBlocks blocks;
  const int p = blocks.p;
  std::vector<int> send(SpreadBlocks::at(p), blocks.rank);
  std::vector<int> recv(send.size());
  for (const std::string seed : {"size", "calls", "12345"}) {
    Options options;
    options.algorithm = rondo::Algorithm::randomized;
    options.dense.seed = seed;
    Comm comm(MPI_COMM_WORLD, options);
    std::set<std::vector<int>> rows;
    for (int call = 0; call < 12; ++call) {
      Request request;
      switch (call % 3) {
        case 0:
          request = comm.ialltoall(send, recv);
          break;
        case 1:
          request = comm.alltoall_init(send, recv);
          break;
        default:
          comm.alltoall(send, recv);
          continue;
      }
      const std::vector<int> row = row_of(request, blocks.rank, p);
      std::vector<int> of_rank_0 = row;
      MPI_Bcast(of_rank_0.data(), p, MPI_INT, 0, MPI_COMM_WORLD);
      EXPECT_EQ(row, of_rank_0) << "seed " << seed << ", call " << call << ", rank " << blocks.rank;
      rows.insert(row);
      if (call % 3 == 1) request.start();
      request.wait();
    }
    if (seed == "calls" && p > 1)
      EXPECT_GT(rows.size(), p > 4 ? 6U : 1U);
    else
      EXPECT_EQ(rows.size(), 1U) << seed;
  }
}

}  // namespace
}  // namespace rondo::internal::randomized_alltoall_test
