#include "collectives/plugin/choice/where_mpi_is_better.hpp"

#include <algorithm>
#include <limits>

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

/// Whether all messages of a dense call go through lanes, and that is faster. The figures are times with the plug-in /
/// MPI's, back to back and, behind the semicolon, alone.
bool is_faster_in_lanes(ReplacedCall call, BlockSize blocks, MpiKind mpi) noexcept {
  const bool equal_blocks = call == ReplacedCall::alltoall || call == ReplacedCall::ialltoall;
  // 2 ranks, 8 B, 512 B, 4 KiB and 64 KiB: MPI_Alltoall 0.58 0.68 0.73 0.66; 0.68 0.60 0.65 0.55.
  // MPI_Ialltoall 0.95 0.95 0.93 0.73; 0.94 0.93 0.86 0.58.
  if (mpi == MpiKind::mpich) return equal_blocks && blocks != BlockSize::large;
  // 2, 4 and 8 ranks,
  //         MPI_Alltoall                        MPI_Ialltoall
  // 8 B     0.34 0.99 0.92; 1.14 1.10 1.10      0.67 1.01 0.93; 1.33 1.15 1.42
  // 512 B   0.21 0.66 0.67; 1.01 1.07 1.33      0.34 0.73 0.71; 1.20 1.24 1.32
  // 4 KiB   0.07 0.32 0.50; 0.45 0.64 0.68      0.15 0.34 0.31; 0.56 0.70 0.70
  // 64 KiB  0.39 0.59 0.56; 0.83 0.79 0.91      0.42 0.60 0.62; 0.94 0.86 0.92
  return equal_blocks && blocks == BlockSize::medium;
}

}  // namespace

std::int64_t longest_medium_block(int processes) noexcept {
  return processes <= kLongLanes ? std::int64_t{64} << 10U : kMediumBlock;
}

const char* why_mpi_is_better(ReplacedCall call, const DenseFacts& facts, MpiKind mpi) noexcept {
  // Open MPI does not keep the datatypes and the communicator of a persistent one; in MPICH a wait for an inactive one
  // hangs.
  if (is_persistent(call)) return nullptr;
  // MPICH's waits never yield: where ranks share cores it is hundreds of times slower.
  if (mpi == MpiKind::mpich && facts.shares_cores) return nullptr;
  if (facts.on_one_node && is_faster_in_lanes(call, facts.blocks, mpi)) return nullptr;
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

MadeReady worth_making_ready(ReplacedCall call, bool shares_cores, bool on_one_node, MpiKind mpi) noexcept {
  if (mpi == MpiKind::mpich && shares_cores) return MadeReady::all;
  const bool ever = std::ranges::any_of(kBlockSizes, [&](BlockSize blocks) {
    return why_mpi_is_better(call, {std::numeric_limits<int>::max(), blocks, shares_cores, on_one_node}, mpi) ==
           nullptr;
  });
  return ever ? MadeReady::world : MadeReady::none;
}

}  // namespace rondo::internal::plugin
