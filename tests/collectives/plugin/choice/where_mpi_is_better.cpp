// Which calls `auto` takes, of either MPI.
#include "collectives/plugin/choice/where_mpi_is_better.hpp"

#include "runtime/lanes/lane_exchange.hpp"
#include "runtime/schedule/message_form_costs.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rondo::internal::plugin {
namespace {

using enum ReplacedCall;
using enum BlockSize;
using enum MpiKind;

// A lane takes every block that is not large.
static_assert(kMediumBlock <= kLongestInLane);

TEST(WhereMpiIsBetter, SizesOfBlocks) {
  for (const std::int64_t longest : {4096, 65536}) {
    EXPECT_EQ(block_size(0, longest), small);
    EXPECT_EQ(block_size(256, longest), small);
    EXPECT_EQ(block_size(257, longest), medium);
    EXPECT_EQ(block_size(4096, longest), medium);
    EXPECT_EQ(block_size(longest, longest), longest > 4096 ? sizable : medium);
    EXPECT_EQ(block_size(longest + 1, longest), large);
    EXPECT_EQ(block_size(-1, longest), large);
  }
}

TEST(WhereMpiIsBetter, LongBlocksWhereLanesAreLong) {
  for (int processes = 2; processes < 100; ++processes) {
    const std::size_t room = lane_lines_of_operation(lines_of_lane(segment_budget(), processes));
    const bool has_room = lane_lines(kLongestInLane) <= room;
    EXPECT_EQ(longest_block_in_lanes(processes, true), has_room ? kLongestInLane : kMediumBlock) << processes;
    EXPECT_EQ(longest_block_in_lanes(processes, false), has_room ? kLongestBetweenCaches : kMediumBlock) << processes;
  }
}

bool takes(MpiKind mpi, ReplacedCall call, const DenseFacts& facts) {
  return why_mpi_is_better(call, facts, mpi) == nullptr;
}

std::vector<BlockSize> sizes_taken(MpiKind mpi, ReplacedCall call, bool shares_cores, bool on_one_node) {
  std::vector<BlockSize> taken;
  for (const BlockSize blocks : kBlockSizes)
    if (takes(mpi, call, {4, blocks, shares_cores, on_one_node})) taken.push_back(blocks);
  return taken;
}

using Sizes = std::vector<BlockSize>;

TEST(WhereMpiIsBetter, DenseCallsThroughLanes) {
  for (const bool shares_cores : {false, true}) {
    EXPECT_EQ(sizes_taken(open_mpi, alltoall, shares_cores, true), (Sizes{medium, sizable}));
    EXPECT_EQ(sizes_taken(open_mpi, ialltoall, shares_cores, true), (Sizes{medium, sizable}));
  }
  EXPECT_EQ(sizes_taken(mpich, alltoall, false, true), (Sizes{small, medium, sizable}));
  EXPECT_EQ(sizes_taken(mpich, ialltoall, false, true), (Sizes{small, medium, sizable}));
}

/// Of these no rank knows the blocks of the others, and long ones take MPI.
TEST(WhereMpiIsBetter, IrregularDenseCallsAreMpis) {
  for (const ReplacedCall call : {alltoallv, alltoallw, ialltoallv, ialltoallw}) {
    EXPECT_EQ(sizes_taken(open_mpi, call, false, true), Sizes{});
    EXPECT_EQ(sizes_taken(mpich, call, false, true), Sizes{});
  }
}

TEST(WhereMpiIsBetter, DenseCallsOfSeveralNodes) {
  for (const ReplacedCall call : {alltoall, alltoallv, ialltoall, ialltoallw}) {
    EXPECT_EQ(sizes_taken(open_mpi, call, false, false), Sizes{});
    EXPECT_EQ(sizes_taken(open_mpi, call, true, false), Sizes{});
    EXPECT_EQ(sizes_taken(mpich, call, false, false), Sizes{});
    EXPECT_EQ(sizes_taken(mpich, call, true, false), (Sizes{small, medium, sizable, large}));
  }
}

/// Open MPI's Bruck algorithm with copies is slow, whatever the messages of Rondo's take.
TEST(WhereMpiIsBetter, SmallBlocksOfManyProcesses) {
  for (const bool on_one_node : {false, true}) {
    EXPECT_TRUE(takes(open_mpi, alltoall, {12, small, false, on_one_node}));
    EXPECT_FALSE(takes(open_mpi, alltoall, {11, small, false, on_one_node}));
    EXPECT_FALSE(takes(open_mpi, alltoall, {12, large, false, on_one_node}));
    EXPECT_FALSE(takes(open_mpi, ialltoall, {12, small, false, on_one_node}));
  }
  EXPECT_FALSE(takes(mpich, alltoall, {12, small, false, false}));
}

/// As many processes as were measured, each call in the form in which it is faster.
TEST(WhereMpiIsBetter, OtherDenseCallsThroughSharedMemory) {
  EXPECT_EQ(sizes_taken(open_mpi, allreduce, false, true), (Sizes{small, medium, sizable}));
  EXPECT_EQ(sizes_taken(open_mpi, reduce_scatter, true, true), (Sizes{small, medium, sizable}));
  EXPECT_EQ(sizes_taken(open_mpi, iallreduce, false, true), Sizes{medium});
  EXPECT_EQ(sizes_taken(open_mpi, bcast, false, true), (Sizes{medium, sizable}));
  EXPECT_EQ(sizes_taken(open_mpi, barrier, false, true), Sizes{});
  EXPECT_FALSE(takes(open_mpi, allreduce, {3, small, false, true}));
  EXPECT_TRUE(takes(open_mpi, bcast, {8, medium, false, true}));
  EXPECT_FALSE(takes(open_mpi, bcast, {9, medium, false, true}));
  EXPECT_TRUE(takes(open_mpi, allgather_init, {16, sizable, false, true}));
  EXPECT_FALSE(takes(open_mpi, allgather_init, {17, sizable, false, true}));
  for (const ReplacedCall call : {barrier_init, bcast, allgatherv, allreduce, ireduce_scatter_block}) {
    EXPECT_EQ(sizes_taken(open_mpi, call, false, false), Sizes{});
    EXPECT_EQ(sizes_taken(mpich, call, false, true).empty(), !is_persistent(call));
    EXPECT_EQ(sizes_taken(mpich, call, true, false), (Sizes{small, medium, sizable, large}));
  }
}

/// MPICH's are wrong.
TEST(WhereMpiIsBetter, PersistentCallsOfMpichNever) {
  for (const ReplacedCall call : {barrier_init, bcast_init, allgatherv_init, allreduce_init, reduce_scatter_init})
    EXPECT_EQ(sizes_taken(mpich, call, false, false), (Sizes{small, medium, sizable, large}));
}

TEST(WhereMpiIsBetter, PersistentExchangesNever) {
  for (const MpiKind mpi : {open_mpi, mpich}) {
    for (const BlockSize blocks : kBlockSizes) EXPECT_TRUE(takes(mpi, alltoallv_init, {2, blocks, false, false}));
    EXPECT_EQ(why_mpi_is_better(neighbor_alltoall_init, TopologyFacts{4, false, false, true, false}, {mpi, 60000}),
              nullptr);
  }
}

constexpr MpiVersion kOpenMpi4{open_mpi, 40104};
constexpr MpiVersion kOpenMpi6{open_mpi, 60000};
constexpr MpiVersion kMpich4{mpich, 40201};
constexpr MpiVersion kMpich5{mpich, 50002};

bool takes(MpiVersion mpi, ReplacedCall call, const TopologyFacts& facts) {
  return why_mpi_is_better(call, facts, mpi) == nullptr;
}

TEST(WhereMpiIsBetter, NeighborsOnOneNodeThroughLanes) {
  for (const ReplacedCall call : {neighbor_alltoall, neighbor_allgatherv, ineighbor_alltoallw, ineighbor_allgather}) {
    for (const bool shares_cores : {false, true})
      EXPECT_TRUE(takes(kOpenMpi4, call, TopologyFacts{4, false, false, shares_cores, true}));
  }
}

TEST(WhereMpiIsBetter, NeighborsOnSeveralNodes) {
  const TopologyFacts few{4, false, true, false, false};
  const TopologyFacts parallel{4, true, false, true, false};
  const TopologyFacts many{26, false, true, false, false};
  const TopologyFacts on_shared_cores{26, false, true, true, false};
  EXPECT_FALSE(takes(kOpenMpi4, neighbor_alltoall, few));
  EXPECT_TRUE(takes(kOpenMpi4, neighbor_alltoall, parallel));
  EXPECT_TRUE(takes(kOpenMpi4, neighbor_alltoall, many));
  EXPECT_TRUE(takes(kOpenMpi4, ineighbor_alltoall, few));
  EXPECT_FALSE(takes(kOpenMpi4, ineighbor_alltoall, on_shared_cores));
  EXPECT_TRUE(takes(kMpich4, neighbor_alltoall, few));
}

/// Neighborhood collectives stay with a version of MPI that has them right, unless Rondo's are faster.
TEST(WhereMpiIsBetter, NeighborsOfVersionsThatAreRight) {
  const TopologyFacts few{4, false, true, false, false};
  const TopologyFacts parallel{4, true, false, false, false};
  const TopologyFacts on_shared_cores{4, false, true, true, false};
  EXPECT_FALSE(takes(kOpenMpi6, neighbor_alltoall, parallel));
  EXPECT_FALSE(takes(kMpich5, neighbor_alltoall, few));
  EXPECT_FALSE(takes(kMpich5, neighbor_alltoall, parallel));
  EXPECT_TRUE(takes(kMpich5, neighbor_alltoall, on_shared_cores)) << "its waits never yield";
  EXPECT_TRUE(takes({open_mpi, 50007}, neighbor_alltoall, parallel));
  EXPECT_TRUE(takes({mpich, 50001}, neighbor_alltoall, few)) << "not known to be right";
  EXPECT_TRUE(takes({mpich, 0}, neighbor_alltoall, few)) << "another MPI, made of MPICH";
}

TEST(WhereMpiIsBetter, WhichCommunicatorsAreMadeReady) {
  EXPECT_EQ(worth_making_ready(ialltoall, true, true, open_mpi), MadeReady::world);
  EXPECT_EQ(worth_making_ready(ialltoallv, false, true, open_mpi), MadeReady::none);
  EXPECT_EQ(worth_making_ready(ialltoall, true, false, open_mpi), MadeReady::none);
  EXPECT_EQ(worth_making_ready(ialltoall, false, true, mpich), MadeReady::world);
  EXPECT_EQ(worth_making_ready(ialltoallv, false, true, mpich), MadeReady::none);
  EXPECT_EQ(worth_making_ready(ialltoallw, true, false, mpich), MadeReady::all);
  EXPECT_EQ(worth_making_ready(ibcast, false, true, open_mpi), MadeReady::world) << "of few processes";
}

}  // namespace
}  // namespace rondo::internal::plugin
