#include "collectives/plugin/choice/where_mpi_is_better.hpp"

#include "runtime/schedule/message_form_costs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace rondo::internal::plugin {
namespace {

constexpr const char* kAsFast = "MPI's own is as fast";

/// From this many processes on, Open MPI uses Bruck's algorithm with copies for small blocks.
constexpr int kCopyingBruck = 12;
/// Up to this many processes, blocks of 64 KiB fit in lanes of the default budget: see lines_of_lane() and
/// lane_lines_of_operation().
constexpr int kLongLanes = 12;
/// From this many edges on, combined messages pay.
constexpr std::size_t kManyEdges = 26;

/// The range in which a dense call is faster with Rondo if all its messages go through shared memory.
struct Won {
  ReplacedCall call;
  BlockSize shortest;
  BlockSize longest;
  int most_processes = std::numeric_limits<int>::max();
  int fewest_processes = 2;
};

using enum ReplacedCall;
using enum BlockSize;

/// Bounds of numbers of processes: the most with which a call was measured or, if these are fewer, was not slower; or
/// the fewest.
constexpr int kFour = 4;
constexpr int kEight = 8;
constexpr int kSixteen = 16;

// The rows are times with the plug-in divided by MPI's: back to back and, behind the semicolon, alone.

// Alltoalls were measured with 2, 4 and 8 ranks on 2 cores, the others with 2, 4, 8 and 16 ranks, each on a separate
// core.
constexpr std::array kWonOverOpenMpi{
    // 8 B     0.34 0.99 0.92; 1.14 1.10 1.10
    // 512 B   0.21 0.66 0.67; 1.01 1.07 1.33
    // 4 KiB   0.07 0.32 0.50; 0.45 0.64 0.68
    // 64 KiB  0.39 0.59 0.56; 0.83 0.79 0.91
    Won{alltoall, medium, sizable},
    // 8 B     0.67 1.01 0.93; 1.33 1.15 1.42
    // 512 B   0.34 0.73 0.71; 1.20 1.24 1.32
    // 4 KiB   0.15 0.34 0.31; 0.56 0.70 0.70
    // 64 KiB  0.42 0.60 0.62; 0.94 0.86 0.92
    Won{ialltoall, medium, sizable},
    // 8 B     1.46 0.93 0.85 0.79; 0.82 0.74 0.80 0.79
    // 512 B   0.82 0.76 0.76 0.68; 0.79 0.61 0.79 0.73
    // 4 KiB   0.50 0.53 0.51 0.67; 0.66 0.57 0.77 0.79
    // 64 KiB  0.65 0.68 0.96 1.07; 0.88 0.81 0.88 0.96
    Won{allgather, small, small, kSixteen, kFour},
    Won{allgather, medium, sizable, kSixteen},
    // 8 B     1.36 0.69 0.58 0.51; 0.91 0.45 0.74 0.68
    // 512 B   0.81 0.56 0.36 0.53; 0.78 0.60 0.49 0.52
    // 4 KiB   0.53 0.38 0.50 0.63; 0.63 0.47 0.61 0.66
    // 64 KiB  0.70 0.63 0.96 1.04; 0.95 0.72 0.85 0.95
    Won{allgatherv, small, small, kSixteen, kFour},
    Won{allgatherv, medium, sizable, kSixteen},
    // 8 B     1.84 0.91 0.67 0.60; 1.05 0.71 0.56 0.41
    // 512 B   1.23 0.82 0.59 0.48; 0.90 0.67 0.52 0.44
    // 4 KiB   0.62 0.51 0.51 0.50; 0.67 0.58 0.48 0.55
    // 64 KiB  0.66 0.73 0.95 0.97; 0.95 0.83 0.81 0.98
    Won{iallgather, medium, sizable, kSixteen},
    // 8 B     1.91 1.08 0.68 0.59; 1.08 0.78 0.58 0.42
    // 512 B   1.26 0.86 0.62 0.55; 0.99 0.74 0.55 0.46
    // 4 KiB   0.67 0.52 0.50 0.51; 0.66 0.59 0.48 0.55
    // 64 KiB  0.73 0.76 0.95 1.00; 0.93 0.85 0.87 0.99
    Won{iallgatherv, medium, sizable, kSixteen},
    // 8 B     0.79 0.42 0.30 0.30; 0.52 0.49 0.36 0.33
    // 512 B   0.48 0.30 0.20 0.19; 0.44 0.38 0.27 0.23
    // 4 KiB   0.49 0.29 0.22 0.19; 0.40 0.32 0.23 0.27
    // 64 KiB  0.65 0.59 0.42 0.46; 0.76 0.71 0.74 0.56
    Won{allgather_init, small, sizable, kSixteen},
    // 8 B     0.73 0.38 0.31 0.30; 0.47 0.42 0.34 0.34
    // 512 B   0.54 0.28 0.21 0.20; 0.45 0.40 0.28 0.23
    // 4 KiB   0.51 0.30 0.21 0.17; 0.39 0.31 0.21 0.24
    // 64 KiB  0.65 0.68 0.47 0.45; 0.84 0.57 0.56 0.58
    Won{allgatherv_init, small, sizable, kSixteen},
    // 8 B     1.46 1.06 0.98 0.88; 1.02 0.81 0.89 0.82
    // 512 B   0.83 0.84 0.77 0.68; 0.76 0.76 0.80 0.72
    // 4 KiB   0.67 0.64 0.59 0.76; 0.76 0.75 0.70 0.78
    // 64 KiB  0.54 0.52 0.65 0.71; 0.65 0.65 0.68 0.82
    Won{allreduce, small, small, kSixteen, kFour},
    Won{allreduce, medium, sizable, kSixteen},
    // 8 B     1.29 0.97 0.92 1.09; 1.11 0.66 0.74 0.68
    // 512 B   0.93 0.80 0.83 1.10; 0.84 0.61 0.73 0.81
    // 4 KiB   0.47 0.54 0.67 1.01; 0.56 0.58 0.67 1.02
    // 64 KiB  0.56 1.04 2.31 5.85; 0.69 1.22 1.98 5.02
    Won{iallreduce, medium, medium, kEight},
    // 8 B     0.57 0.40 0.47 0.57; 0.66 0.48 0.49 0.49
    // 512 B   0.42 0.31 0.34 0.50; 0.46 0.40 0.48 0.46
    // 4 KiB   0.32 0.35 0.33 0.41; 0.37 0.33 0.32 0.47
    // 64 KiB  0.43 0.88 0.88 1.83; 0.55 0.76 1.50 1.63
    Won{allreduce_init, small, medium, kSixteen},
    // 8 B     1.34 0.50 0.89 0.57; 0.94 0.46 0.92 0.59
    // 512 B   0.77 0.72 0.70 0.62; 0.74 0.58 0.82 0.71
    // 4 KiB   0.50 0.52 0.47 0.57; 0.58 0.56 0.69 0.72
    // 64 KiB  0.59 0.17 0.28 0.29; 0.70 0.76 0.69 0.76
    Won{reduce_scatter_block, small, small, kSixteen, kFour},
    Won{reduce_scatter_block, medium, sizable, kSixteen},
    // 8 B     1.33 1.00 0.87 0.87; 0.97 0.71 0.87 0.82
    // 512 B   0.86 0.71 0.71 0.62; 0.73 0.64 0.78 0.71
    // 4 KiB   0.50 0.51 0.49 0.58; 0.58 0.54 0.66 0.73
    // 64 KiB  0.58 0.50 0.76 0.89; 0.71 0.66 0.64 0.86
    Won{reduce_scatter, small, small, kSixteen, kFour},
    Won{reduce_scatter, medium, sizable, kSixteen},
    // 8 B     1.33 1.00 0.81 0.84; 0.96 0.68 0.69 0.58
    // 512 B   0.87 0.63 0.49 0.45; 0.75 0.63 0.50 0.46
    // 4 KiB   0.35 0.36 0.35 0.36; 0.53 0.45 0.38 0.43
    // 64 KiB  0.43 0.37 0.49 0.46; 0.55 0.51 0.44 0.57
    Won{ireduce_scatter_block, small, small, kSixteen, kFour},
    Won{ireduce_scatter_block, medium, sizable, kSixteen},
    // 8 B     1.35 1.02 0.82 0.84; 1.10 0.69 0.69 0.66
    // 512 B   0.86 0.67 0.48 0.45; 0.73 0.62 0.48 0.47
    // 4 KiB   0.33 0.35 0.36 0.36; 0.56 0.46 0.39 0.41
    // 64 KiB  0.40 0.36 0.50 0.48; 0.55 0.51 0.43 0.57
    Won{ireduce_scatter, small, small, kSixteen, kFour},
    Won{ireduce_scatter, medium, sizable, kSixteen},
    // 8 B     0.51 0.41 0.40 0.45; 0.70 0.53 0.47 0.37
    // 512 B   0.40 0.31 0.28 0.29; 0.43 0.44 0.30 0.30
    // 4 KiB   0.29 0.29 0.35 0.33; 0.34 0.32 0.32 0.32
    // 64 KiB  0.33 0.36 0.34 0.27; 0.43 0.46 0.48 0.36
    Won{reduce_scatter_block_init, small, sizable, kSixteen},
    // 8 B     0.52 0.40 0.39 0.44; 0.59 0.56 0.51 0.41
    // 512 B   0.42 0.32 0.28 0.30; 0.45 0.44 0.31 0.30
    // 4 KiB   0.26 0.29 0.33 0.32; 0.32 0.32 0.31 0.33
    // 64 KiB  0.30 0.35 0.34 0.29; 0.43 0.44 0.47 0.36
    Won{reduce_scatter_init, small, sizable, kSixteen},
    // 8 B     2.83 1.81 3.01 2.28; 1.02 0.96 0.59 0.46
    // 512 B   0.51 0.72 0.98 1.46; 0.83 0.72 0.76 0.63
    // 4 KiB   0.28 0.43 0.78 0.59; 0.57 0.64 0.67 0.59
    // 64 KiB  0.38 0.54 0.53 0.81; 1.01 0.84 0.75 0.71
    Won{bcast, medium, sizable, kEight},
    // 8 B     1.95 1.93 1.74 1.70; 1.22 0.95 0.57 0.48
    // 512 B   1.10 0.87 1.18 1.52; 1.04 0.96 0.72 0.57
    // 4 KiB   0.38 0.55 0.76 0.99; 0.74 0.89 0.67 0.72
    // 64 KiB  0.40 0.63 0.98 2.34; 1.04 1.02 1.08 1.30
    Won{ibcast, medium, sizable, kFour},
    // 8 B     0.90 0.71 0.97 1.38; 0.80 0.67 0.40 0.31
    // 512 B   0.46 0.43 0.80 1.26; 0.44 0.72 0.52 0.40
    // 4 KiB   0.37 0.46 0.79 1.15; 0.46 0.62 0.46 0.49
    // 64 KiB  0.58 0.56 0.96 1.80; 0.95 0.90 0.94 1.21
    Won{bcast_init, small, sizable, kEight},
    // barrier 1.53 1.31 1.03 0.84; 0.92 0.70 0.84 0.78, ibarrier 1.60 1.14 1.13 1.35; 0.78 0.62 0.53 0.58
    // 0.98 0.65 0.68 0.88; 0.76 0.62 0.59 0.57
    Won{barrier_init, small, small, kSixteen},
};

// Columns for 2 ranks: 8 B, 512 B, 4 KiB and 64 KiB.
constexpr std::array kWonOverMpich{
    Won{alltoall, small, sizable},   // 0.58 0.68 0.73 0.66; 0.68 0.60 0.65 0.55
    Won{ialltoall, small, sizable},  // 0.95 0.95 0.93 0.73; 0.94 0.93 0.86 0.58
};

/// A range of numbers of processes; empty if `most` is less than `fewest`.
struct Processes {
  int fewest = 2;
  int most = 0;
};
/// A table of the ranges by call and size of blocks, because every call that is taken looks one up.
using WonFor = std::array<std::array<Processes, kBlockSizes.size()>, kReplacedCalls>;

constexpr WonFor by_call(std::span<const Won> rows) {
  WonFor won{};
  for (const Won& row : rows) {
    for (auto blocks = static_cast<std::size_t>(row.shortest); blocks <= static_cast<std::size_t>(row.longest);
         ++blocks)
      won[static_cast<std::size_t>(row.call)][blocks] = {row.fewest_processes, row.most_processes};
  }
  return won;
}
constexpr WonFor kWonForOpenMpi = by_call(kWonOverOpenMpi);
constexpr WonFor kWonForMpich = by_call(kWonOverMpich);

const Processes& won_with(ReplacedCall call, BlockSize blocks, MpiKind mpi) noexcept {
  const WonFor& won = mpi == MpiKind::mpich ? kWonForMpich : kWonForOpenMpi;
  return won[static_cast<std::size_t>(call)][static_cast<std::size_t>(blocks)];
}

bool is_faster_in_shared_memory(ReplacedCall call, const DenseFacts& facts, MpiKind mpi) noexcept {
  const Processes& won = won_with(call, facts.blocks, mpi);
  return won.fewest <= facts.processes && facts.processes <= won.most;
}

}  // namespace

std::int64_t longest_block_in_lanes(int processes, bool one_cache) noexcept {
  if (processes > kLongLanes) return kMediumBlock;
  return one_cache ? kLongestInLane : kLongestBetweenCaches;
}

bool is_wrong_in_mpi(ReplacedCall call, MpiKind mpi) noexcept {
  // In MPICH, a wait for an inactive persistent collective hangs, others leave old data at their second start, or end
  // the program when they are freed. Open MPI does not keep their datatypes and communicators. Persistent calls that
  // are no exchanges do not count there, because Rondo would do them by the direct algorithm, by which many ranks send
  // more than they must.
  return is_persistent(call) && (mpi == MpiKind::mpich || is_exchange(call));
}

const char* why_mpi_is_better(ReplacedCall call, const DenseFacts& facts, MpiKind mpi) noexcept {
  if (is_wrong_in_mpi(call, mpi)) return nullptr;
  // MPICH's waits never yield: if ranks share cores it is hundreds of times slower.
  if (mpi == MpiKind::mpich && facts.shares_cores) return nullptr;
  if (facts.on_one_node && is_faster_in_shared_memory(call, facts, mpi)) return nullptr;
  const bool copying_bruck = mpi == MpiKind::open_mpi && call == ReplacedCall::alltoall &&
                             facts.processes >= kCopyingBruck && facts.blocks == BlockSize::small;
  return copying_bruck ? nullptr : kAsFast;
}

bool are_neighbors_wrong_in_mpi(MpiVersion mpi) noexcept {
  return mpi.number < (mpi.kind == MpiKind::open_mpi ? 60000 : 50002);  // the first that were found to be right
}

const char* why_mpi_is_better(ReplacedCall call, const TopologyFacts& facts, MpiVersion mpi) noexcept {
  if (mpi.kind == MpiKind::mpich && (facts.shares_cores || are_neighbors_wrong_in_mpi(mpi))) return nullptr;
  if (facts.parallel_edges && are_neighbors_wrong_in_mpi(mpi)) return nullptr;
  if (is_persistent(call)) return nullptr;
  // Through lanes, blocking and nonblocking, 4 and 8 neighbors, Open MPI: at 2 ranks 0.04 to 0.98 back to back; alone
  // 0.13 to 0.89 from 512 B on, but 0.82 to 1.16 for 8 B. At 4 and 8 ranks 0.15 to 1.01 back to back; alone 0.42 to
  // 0.97 from 4 KiB on, but 0.83 to 1.26 for less. This function does not know how long the blocks are: over all
  // lengths the geometric means are 0.36 at 2 ranks and 0.68 at 4 and 8.
  if (facts.on_one_node) return nullptr;
  if (is_nonblocking(call)) return facts.shares_cores ? kAsFast : nullptr;
  return facts.isomorphic && facts.edges >= kManyEdges ? nullptr : kAsFast;
}

bool may_be_better(ReplacedCall call, bool shares_cores, bool on_one_node, MpiKind mpi) noexcept {
  return std::ranges::any_of(kBlockSizes, [&](BlockSize blocks) {
    const std::array of_interest{won_with(call, blocks, mpi).fewest, std::numeric_limits<int>::max()};
    return std::ranges::any_of(of_interest, [&](int processes) {
      return why_mpi_is_better(call, DenseFacts{processes, blocks, shares_cores, on_one_node}, mpi) == nullptr;
    });
  });
}

MadeReady worth_making_ready(ReplacedCall call, bool shares_cores, bool on_one_node, MpiKind mpi) noexcept {
  if (mpi == MpiKind::mpich && shares_cores) return MadeReady::all;
  return may_be_better(call, shares_cores, on_one_node, mpi) ? MadeReady::world : MadeReady::none;
}

}  // namespace rondo::internal::plugin
