#include "collectives/plugin/choice/where_mpi_is_better.hpp"

#include <mpi.h>

namespace rondo::internal::plugin {
namespace {

#if defined(OPEN_MPI)
constexpr bool kOpenMpi = true;
#else
constexpr bool kOpenMpi = false;
#endif

constexpr const char* kAsFast = "MPI's own is as fast";

/// From so many processes on Open MPI takes Bruck's algorithm with copies for short blocks.
constexpr int kCopyingBruck = 12;
/// From so many edges on, combined messages pay.
constexpr std::size_t kManyEdges = 26;

}  // namespace

const char* why_mpi_is_better(ReplacedCall call, const DenseFacts& facts) noexcept {
  // Open MPI does not keep the datatypes and the communicator of a persistent one; in MPICH a wait for an inactive one
  // hangs.
  if (is_persistent(call)) return nullptr;
  // MPICH's waits never yield: where ranks share cores it is hundreds of times slower.
  if (!kOpenMpi) return facts.shares_cores ? nullptr : kAsFast;
  const bool copying_bruck =
      call == ReplacedCall::alltoall && facts.processes >= kCopyingBruck && !is_long_block(facts.block_bytes);
  return copying_bruck ? nullptr : kAsFast;
}

const char* why_mpi_is_better(ReplacedCall call, const TopologyFacts& facts) noexcept {
  // With parallel edges, which two neighbors that are one process are, the MPIs are wrong in one form or another; MPICH
  // also on graphs that are not isomorphic.
  if (!kOpenMpi || facts.parallel_edges || is_persistent(call)) return nullptr;
  if (is_nonblocking(call)) return facts.shares_cores ? kAsFast : nullptr;
  return facts.isomorphic && facts.edges >= kManyEdges ? nullptr : kAsFast;
}

bool prepares_dense(bool shares_cores) noexcept { return !kOpenMpi && shares_cores; }

}  // namespace rondo::internal::plugin
