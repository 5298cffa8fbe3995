/// @file
/// The direct algorithm along the edges of any topology.
#ifndef RONDO_COLLECTIVES_DIRECT_EDGES_HPP
#define RONDO_COLLECTIVES_DIRECT_EDGES_HPP

#include "collectives/alltoall_problem.hpp"
#include "collectives/edge_lists.hpp"
#include "runtime/schedule_builder.hpp"

#include <cstdint>
#include <span>

namespace rondo {

/// What a process sends to its targets, a block for each or one for all of them, and receives from its sources. Blocks
/// without a neighbor are empty.
struct EdgeProblem {
  const EdgeLists& lists;
  std::span<const BlockShape> send;
  std::span<const BlockShape> recv;
  std::uint32_t tags;  ///< the most that any rank needs, the same on all ranks
};

void build_direct_edges(const EdgeProblem& problem, ScheduleBuilder& builder);

}  // namespace rondo

#endif
