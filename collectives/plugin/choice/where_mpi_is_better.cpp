#include "collectives/plugin/choice/where_mpi_is_better.hpp"

#include <algorithm>
#include <limits>

namespace rondo::internal::plugin {
namespace {

constexpr const char* kAsFast = "MPI's own is as fast";

/// From so many processes on Open MPI takes Bruck's algorithm with copies for small blocks.
constexpr int kCopyingBruck = 12;
/// From so many edges on, combined messages pay.
constexpr std::size_t kManyEdges = 26;

/// Whether all messages of a dense call go through lanes, and that is faster. The figures are times with the plug-in /
/// MPI's, back to back and, behind the semicolon, alone.
bool is_faster_in_lanes(ReplacedCall call, BlockSize blocks, MpiKind mpi) noexcept {
  if (mpi == MpiKind::mpich) {
    // 2 ranks, 8 B, 512 B and 4 KiB: MPI_Alltoall 0.63 0.64 0.70; 0.99 0.71 0.70. 64 KiB, over MPI: 1.06; 1.06.
    // MPI_Ialltoall 1.08 0.96 1.03; 1.33 1.05 1.01.
    return call == ReplacedCall::alltoall && blocks != BlockSize::large;
  }
  // 2, 4 and 8 ranks,
  //         MPI_Alltoall                        MPI_Ialltoall
  // 8 B     0.33 1.00 0.92; 1.57 1.02 1.16      0.59 0.99 0.97; 1.75 1.02 1.17
  // 512 B   0.25 0.65 0.64; 1.11 1.11 1.04      0.42 0.69 0.69; 1.26 1.29 1.08
  // 4 KiB   0.12 0.30 0.27; 0.49 0.80 0.70      0.18 0.34 0.30; 0.56 0.85 0.75
  // 64 KiB  1.00 1.10 1.04; 1.06 1.03 1.04      1.03 1.11 1.11; 1.15 1.07 1.11 (over MPI)
  return (call == ReplacedCall::alltoall || call == ReplacedCall::ialltoall) && blocks == BlockSize::medium;
}

}  // namespace

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
  // Through lanes, blocking and nonblocking, 4 and 8 neighbors, Open MPI: at 2 ranks 0.05 to 0.51 up to 4 KiB back to
  // back; alone 0.15 to 0.92 from 512 B on, but 0.84 to 1.28 for 8 B. At 4 and 8 ranks 0.16 to 0.99 back to back; alone
  // 0.55 to 0.90 for 4 KiB, but 1.00 to 1.25 for less. 64 KiB, over MPI: 0.32 to 1.10; 0.34 to 1.20. Nobody knows here
  // how long the blocks are: together these are 0.45 at 2 ranks and 0.73 at 4 and 8 (geometric means).
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
