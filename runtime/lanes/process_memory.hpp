/// @file
/// All shared memory that this process has a part in.
#ifndef RONDO_RUNTIME_LANES_PROCESS_MEMORY_HPP
#define RONDO_RUNTIME_LANES_PROCESS_MEMORY_HPP

#include "runtime/lanes/lane_table.hpp"
#include "runtime/shared_memory/partner_segments.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <map>
#include <mutex>

namespace rondo::internal {

/// To be used with `mutex` locked.
struct ProcessMemory {
  std::mutex mutex;
  SegmentSpace own;
  PartnerSegments partners;
  std::map<int, Lane> lanes;         ///< with other processes, by their rank in MPI_COMM_WORLD
  LaneTable* first_table = nullptr;  ///< of the list of all tables
};

/// Never destroyed: partners may still write into it. Throws Error, MPI_ERR_INFO_VALUE, for what the environment says.
[[nodiscard]] ProcessMemory& process_memory();
/// Whether this process can have memory of its own to share: with a budget below a page it has none. Where it cannot be
/// found out, it has none either.
[[nodiscard]] bool may_have_memory() noexcept;

}  // namespace rondo::internal

#endif
