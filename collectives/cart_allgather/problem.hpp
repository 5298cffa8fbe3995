/// @file
/// Problem: the input of an allgather lowering.
#ifndef RONDO_COLLECTIVES_CART_ALLGATHER_PROBLEM_HPP
#define RONDO_COLLECTIVES_CART_ALLGATHER_PROBLEM_HPP

#include "collectives/blocks/block_shape.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/neighborhood_facts.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::allgather {

/// The arguments of a Cartesian allgather on one rank: the rank's block goes to all neighbors, and block i comes from
/// the process whose neighbor i is this rank.
struct Problem {
  const Grid& grid;
  const NeighborhoodFacts& facts;  ///< facts of the neighborhood
  const BlockShape& send;
  std::span<const BlockShape> recv;  ///< t blocks, with empty layouts if the source does not exist
  /// Block sizes in bytes that all ranks know. One entry: the size of every rank's block. p entries: sizes by rank.
  /// None: a process knows only the sizes of its own block and of those that it receives.
  std::span<const std::int64_t> sizes;
  const CostModel& costs;
  int ports = 0;                       ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;   ///< messages that stay on a node; null if none is known to stay
  const NodeMembers* nodes = nullptr;  ///< null if there is one node, none has several ranks, or nodes are unknown
  bool uniform = !sizes.empty();       ///< for choose(): whether all ranks make the same predictions
};

/// Returns the size in bytes of the block of a rank. The problem must be uniform.
[[nodiscard]] inline std::int64_t bytes_of(const Problem& problem, int rank) {
  return problem.sizes[problem.sizes.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
}
/// Returns the size in bytes of the largest block. The problem must be uniform.
[[nodiscard]] std::int64_t largest_block(const Problem& problem);

/// Returns the block of the builder that this process's messages send for its own block: `own` or a copy. A scattered
/// block that is sent more than once is copied into contiguous memory first, unless it travels as a datatype.
[[nodiscard]] BlockId block_to_send(const Problem& problem, BlockId own, std::size_t messages,
                                    ScheduleBuilder& builder);

/// Adds a task that copies the process's own block to the receive blocks `ends`. Adds none without bytes or ends.
void copy_to_self(const Problem& problem, BlockId own, std::span<const int> ends, ScheduleBuilder& builder);

}  // namespace rondo::internal::allgather

#endif
