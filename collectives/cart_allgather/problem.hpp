/// @file
/// What an allgather lowering is given.
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

/// A Cartesian allgather on one rank: its block goes to all neighbors, and block i comes from the process that has it
/// as neighbor i.
struct Problem {
  const Grid& grid;
  const NeighborhoodFacts& facts;  ///< of the neighborhood
  const BlockShape& send;
  std::span<const BlockShape> recv;  ///< t; empty layouts where the source does not exist
  /// What all ranks know alike of the blocks' sizes in bytes. One entry: every rank sends so many; p entries: by rank;
  /// none: a process knows only its own and those that it receives.
  std::span<const std::int64_t> sizes;
  const CostModel& costs;
  int ports = 0;                       ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;   ///< which messages stay on a node; null: none are known to
  const NodeMembers* nodes = nullptr;  ///< null where none has several ranks, there is but one, or nobody knows
  bool uniform = !sizes.empty();       ///< for choose(): whether all ranks make the same predictions
};

/// Bytes of the block of a rank; the problem must be uniform.
[[nodiscard]] inline std::int64_t bytes_of(const Problem& problem, int rank) {
  return problem.sizes[problem.sizes.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
}
/// Bytes of the largest block; the problem must be uniform.
[[nodiscard]] std::int64_t largest_block(const Problem& problem);

/// The block of the process itself as its messages read it: a scattered one that is sent more than once is copied into
/// a row first, unless it travels as a datatype.
[[nodiscard]] BlockId block_to_send(const Problem& problem, BlockId own, std::size_t messages,
                                    ScheduleBuilder& builder);

/// Copies the block of the process itself to those of `ends`, all in one task. A block without bytes is left out.
void copy_to_self(const Problem& problem, BlockId own, std::span<const int> ends, ScheduleBuilder& builder);

}  // namespace rondo::internal::allgather

#endif
