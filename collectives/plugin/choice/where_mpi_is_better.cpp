#include "collectives/plugin/choice/where_mpi_is_better.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace rondo::internal::plugin {
namespace {

constexpr const char* kAsFast = "MPI's own is as fast";

/// From so many processes on Open MPI takes Bruck's algorithm with copies for small blocks.
constexpr int kCopyingBruck = 12;
/// Up to so many processes lanes of the default budget have room for blocks of 64 KiB: see lines_of_lane() and
/// lane_lines_of_operation().
constexpr int kLongLanes = 12;
/// From so many edges on, combined messages pay.
constexpr std::size_t kManyEdges = 26;

/// Dense calls all messages of which go through shared memory, and where that is faster.
struct Won {
  ReplacedCall call;
  BlockSize shortest;
  BlockSize longest;
  int most_processes = std::numeric_limits<int>::max();
};

using enum ReplacedCall;
using enum BlockSize;

/// The most processes with which a call was measured or, where these are fewer, was not slower.
constexpr int kFour = 4;
constexpr int kEight = 8;
constexpr int kSixteen = 16;

// Times with the plug-in / MPI's, back to back and, behind the semicolon, alone.

// Alltoalls: 2, 4 and 8 ranks on 2 cores. The others: 2, 4, 8 and 16 ranks, each with a core of its own.
constexpr std::array kWonOverOpenMpi{
    // 512 B   0.21 0.66 0.67; 1.01 1.07 1.33, 4 KiB 0.07 0.32 0.50; 0.45 0.64 0.68, 64 KiB 0.39 0.59 0.56; 0.83 0.79
    // 0.91
    // (8 B    0.34 0.99 0.92; 1.14 1.10 1.10)
    Won{alltoall, medium, sizable},
    // 512 B   0.34 0.73 0.71; 1.20 1.24 1.32, 4 KiB 0.15 0.34 0.31; 0.56 0.70 0.70, 64 KiB 0.42 0.60 0.62; 0.94 0.86
    // 0.92
    // (8 B    0.67 1.01 0.93; 1.33 1.15 1.42)
    Won{ialltoall, medium, sizable},
    // 8 B     0.88 0.85 0.82 0.81; 1.06 0.68 0.72 0.83, 512 B 0.76 0.78 0.76 0.68; 0.90 0.59 0.75 0.85,
    // 4 KiB   0.47 0.55 0.61 0.71; 0.63 0.55 0.64 0.79, 64 KiB 0.65 0.70 0.81 1.01; 0.97 0.82 0.82 1.00
    Won{allgather, small, sizable, kSixteen},
    Won{allgatherv, small, sizable, kSixteen},
    // 512 B   0.97 0.84 0.61 0.53; 1.14 0.67 0.51 0.44, 4 KiB 0.59 0.48 0.44 0.43; 0.77 0.58 0.52 0.50,
    // 64 KiB  0.66 0.70 0.85 1.01; 0.97 0.87 0.87 0.98 (8 B 1.24 1.02 0.65 0.52; 1.31 0.82 0.64 0.41)
    Won{iallgather, medium, sizable, kSixteen},
    Won{iallgatherv, medium, sizable, kSixteen},
    // 8 B     0.47 0.42 0.34 0.29; 0.73 0.55 0.31 0.32, 64 KiB 0.62 0.60 0.72 0.72; 0.82 0.58 0.89 0.73
    Won{allgather_init, small, sizable, kSixteen},
    Won{allgatherv_init, small, sizable, kSixteen},
    // 8 B     0.91 0.94 0.91 0.93; 0.84 0.82 0.69 1.09, 512 B 0.81 0.86 0.91 0.75; 0.91 0.79 0.82 0.81,
    // 4 KiB   0.52 0.65 0.66 0.80; 0.66 0.66 0.63 0.90, 64 KiB 0.61 0.55 0.82 0.75; 0.84 0.68 0.68 0.81
    Won{allreduce, small, sizable, kSixteen},
    // 512 B   0.73 0.78 1.02 1.08; 0.88 0.84 0.66 0.91, 4 KiB 0.41 0.50 0.62 0.89; 0.52 0.61 0.65 0.88
    // (8 B    0.96 0.97 1.06 1.21; 1.06 0.83 0.66 0.78, 64 KiB 0.53 1.03 1.90 4.27; 0.81 1.12 2.09 4.26)
    Won{iallreduce, medium, medium, kEight},
    // 8 B     0.41 0.38 0.49 0.72; 0.70 0.58 0.44 0.54, 4 KiB 0.33 0.34 0.44 0.57; 0.33 0.34 0.46 0.58
    // (64 KiB 0.48 1.02 1.84 3.06; 0.58 0.71 1.91 2.62)
    Won{allreduce_init, small, medium, kSixteen},
    // 8 B     0.88 0.56 1.05 0.84; 1.16 0.47 0.57 0.62, 512 B 0.79 0.75 0.75 0.84; 0.82 0.61 0.67 0.61,
    // 4 KiB   0.46 0.52 0.57 0.67; 0.57 0.57 0.63 0.64, 64 KiB 0.19 0.18 0.16 0.22; 0.74 0.61 0.78 0.82
    Won{reduce_scatter_block, small, sizable, kSixteen},
    Won{reduce_scatter, small, sizable, kSixteen},
    // 8 B     0.90 0.97 0.90 0.92; 1.08 0.86 0.78 0.66, 512 B 0.67 0.68 0.48 0.42; 0.77 0.71 0.52 0.47,
    // 4 KiB   0.32 0.33 0.29 0.31; 0.49 0.47 0.37 0.37, 64 KiB 0.36 0.38 0.33 0.42; 0.64 0.50 0.44 0.46
    Won{ireduce_scatter_block, small, sizable, kSixteen},
    Won{ireduce_scatter, small, sizable, kSixteen},
    // 8 B     0.34 0.43 0.44 0.55; 0.69 0.56 0.47 0.44, 64 KiB 0.30 0.32 0.31 0.25; 0.47 0.48 0.53 0.41
    Won{reduce_scatter_block_init, small, sizable, kSixteen},
    Won{reduce_scatter_init, small, sizable, kSixteen},
    // 512 B   0.63 0.99 1.03 1.23; 0.71 0.63 0.88 0.82, 4 KiB 0.37 0.44 0.69 0.56; 0.71 0.49 0.68 0.54,
    // 64 KiB  0.37 0.47 0.54 0.85; 1.08 0.85 0.82 0.56 (8 B 2.81 2.37 3.00 2.90; 0.78 0.56 0.55 0.59)
    Won{bcast, medium, sizable, kEight},
    // 512 B   0.81 0.84 1.14 1.47; 1.07 0.96 0.94 0.51, 4 KiB 0.36 0.42 0.72 1.16; 0.72 0.78 0.70 0.69,
    // 64 KiB  0.39 0.57 0.93 2.02; 1.15 0.96 1.08 1.20 (8 B 2.40 1.47 1.89 1.99; 1.16 1.15 0.73 0.48)
    Won{ibcast, medium, sizable, kFour},
    // 512 B   0.33 0.38 0.70 1.12; 0.47 0.42 0.44 0.33, 4 KiB 0.35 0.47 0.79 1.28; 0.52 0.55 0.59 0.54,
    // 64 KiB  0.58 0.53 0.91 1.59; 1.05 0.95 0.97 1.08 (8 B 1.33 0.84 1.29 1.93; 0.70 0.72 0.30 0.43)
    Won{bcast_init, medium, sizable, kEight},
    // 1.00 0.60 0.72 1.00; 0.81 0.68 0.61 0.61 (blocking 1.30 1.33 1.09 0.93; 1.13 0.73 0.83 0.79,
    // nonblocking 1.53 1.34
    // 1.28 1.45; 0.97 0.72 0.66 0.61)
    Won{barrier_init, small, small, kSixteen},
};

// 2 ranks, 8 B, 512 B, 4 KiB and 64 KiB.
constexpr std::array kWonOverMpich{
    Won{alltoall, small, sizable},   // 0.58 0.68 0.73 0.66; 0.68 0.60 0.65 0.55
    Won{ialltoall, small, sizable},  // 0.95 0.95 0.93 0.73; 0.94 0.93 0.86 0.58
};

bool is_faster_in_shared_memory(ReplacedCall call, const DenseFacts& facts, MpiKind mpi) noexcept {
  const std::span<const Won> won =
      mpi == MpiKind::mpich ? std::span<const Won>(kWonOverMpich) : std::span<const Won>(kWonOverOpenMpi);
  return std::ranges::any_of(won, [&](const Won& where) {
    return where.call == call && where.shortest <= facts.blocks && facts.blocks <= where.longest &&
           facts.processes <= where.most_processes;
  });
}

}  // namespace

std::int64_t longest_block_in_lanes(int processes) noexcept {
  return processes <= kLongLanes ? std::int64_t{64} << 10U : kMediumBlock;
}

const char* why_mpi_is_better(ReplacedCall call, const DenseFacts& facts, MpiKind mpi) noexcept {
  // Open MPI does not keep the datatypes and the communicator of a persistent one; in MPICH a wait for an inactive one
  // hangs. Of the others it would be the direct algorithm, by which many ranks send more than they must.
  if (is_persistent(call) && is_exchange(call)) return nullptr;
  // MPICH's waits never yield: where ranks share cores it is hundreds of times slower.
  if (mpi == MpiKind::mpich && facts.shares_cores) return nullptr;
  if (facts.on_one_node && is_faster_in_shared_memory(call, facts, mpi)) return nullptr;
  const bool copying_bruck = mpi == MpiKind::open_mpi && call == ReplacedCall::alltoall &&
                             facts.processes >= kCopyingBruck && facts.blocks == BlockSize::small;
  return copying_bruck ? nullptr : kAsFast;
}

const char* why_mpi_is_better(ReplacedCall call, const TopologyFacts& facts, MpiKind mpi) noexcept {
  // With parallel edges, which two neighbors that are one process are, the MPIs are wrong in one form or another; MPICH
  // also on graphs that are not isomorphic.
  if (mpi == MpiKind::mpich || facts.parallel_edges || is_persistent(call)) return nullptr;
  // Through lanes, blocking and nonblocking, 4 and 8 neighbors, Open MPI: at 2 ranks 0.04 to 0.98 back to back;
  // alone 0.13 to 0.89 from 512 B on, but 0.82 to 1.16 for 8 B. At 4 and 8 ranks 0.15 to 1.01 back to back; alone 0.42
  // to 0.97 from 4 KiB on, but 0.83 to 1.26 for less. Nobody knows here how long the blocks are: together these are
  // 0.36 at 2 ranks and 0.68 at 4 and 8 (geometric means).
  if (facts.on_one_node) return nullptr;
  if (is_nonblocking(call)) return facts.shares_cores ? kAsFast : nullptr;
  return facts.isomorphic && facts.edges >= kManyEdges ? nullptr : kAsFast;
}

bool may_be_better(ReplacedCall call, bool shares_cores, bool on_one_node, MpiKind mpi) noexcept {
  return std::ranges::any_of(kBlockSizes, [&](BlockSize blocks) {
    return std::ranges::any_of(std::array{2, std::numeric_limits<int>::max()}, [&](int processes) {
      return why_mpi_is_better(call, DenseFacts{processes, blocks, shares_cores, on_one_node}, mpi) == nullptr;
    });
  });
}

MadeReady worth_making_ready(ReplacedCall call, bool shares_cores, bool on_one_node, MpiKind mpi) noexcept {
  if (mpi == MpiKind::mpich && shares_cores) return MadeReady::all;
  return may_be_better(call, shares_cores, on_one_node, mpi) ? MadeReady::world : MadeReady::none;
}

}  // namespace rondo::internal::plugin
