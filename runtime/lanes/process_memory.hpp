/// @file
/// ProcessMemory: all shared memory in which this process has a part.
#ifndef RONDO_RUNTIME_LANES_PROCESS_MEMORY_HPP
#define RONDO_RUNTIME_LANES_PROCESS_MEMORY_HPP

#include "runtime/lanes/lane_table.hpp"
#include "runtime/shared_memory/partner_segments.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <map>
#include <mutex>

namespace rondo::internal {

/// The shared memory of a process. Use all members with `mutex` locked.
struct ProcessMemory {
  std::mutex mutex;
  SegmentSpace own;
  PartnerSegments partners;
  std::map<int, Lane> lanes;         ///< lanes with other processes, by their rank in MPI_COMM_WORLD
  LaneTable* first_table = nullptr;  ///< head of the list of all tables
};

/// Returns the memory of this process. The object is never destroyed, because partners may still write into the memory.
/// Throws Error (MPI_ERR_INFO_VALUE) if a value in the environment is wrong.
[[nodiscard]] ProcessMemory& process_memory();
/// Returns whether this process can have memory to share. Returns false if the budget is below a page, and if the
/// budget cannot be found out.
[[nodiscard]] bool may_have_memory() noexcept;

}  // namespace rondo::internal

#endif
