/// @file
/// Problem: the input of an alltoall lowering.
#ifndef RONDO_COLLECTIVES_CART_ALLTOALL_PROBLEM_HPP
#define RONDO_COLLECTIVES_CART_ALLTOALL_PROBLEM_HPP

#include "collectives/blocks/block_shape.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/neighborhood_facts.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::alltoall {

/// The arguments of a Cartesian alltoall on one rank: block i goes to neighbor i and block i comes from source i. On a
/// mesh, the blocks of neighbors and sources that do not exist are empty.
struct Problem {
  const Grid& grid;
  const NeighborhoodFacts& facts;  ///< facts of the neighborhood
  std::span<const BlockShape> send;
  std::span<const BlockShape> recv;
  bool uniform;  ///< all ranks know that block i has the same size on all of them
  const CostModel& costs;
  /// If uniform, t entries: the agreed size of each block in bytes on every rank that has it. A process must also know
  /// the sizes of blocks that only pass through it.
  std::span<const std::int64_t> sizes = {};
  int ports = 0;                       ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;   ///< messages that stay on a node; null if none is known to stay
  const NodeMembers* nodes = nullptr;  ///< null unless there are several nodes, one of them with several ranks
};

/// The send and receive blocks of a problem, as ids of a builder.
struct Blocks {
  /// Adds the blocks to the builder. `in_transit`: number of further blocks that the lowering is going to add.
  Blocks(const Problem& problem, ScheduleBuilder& builder, std::size_t in_transit = 0);
  std::vector<BlockId> send;
  std::vector<BlockId> recv;
};

/// A group of neighbors that are one process, in list order. In the group of the process itself, `to_self` is set.
/// Groups are in the order of their first members, and the same on all ranks except for target and source.
struct TargetGroup {
  int target;  ///< kNoRank beyond the edge
  int source;  ///< kNoRank beyond the edge
  bool to_self;
  std::vector<int> members;
};
/// Returns the problem's neighbors in groups, one group for each distinct offset on the grid.
[[nodiscard]] std::vector<TargetGroup> group_by_target(const Problem& problem);

/// Adds a task that copies the blocks of `members`, which stay on the process. Leaves out blocks without bytes.
void copy_to_self(const Blocks& blocks, std::span<const int> members, ScheduleBuilder& builder);

/// Returns `sizes` for predictions, with 0 for blocks that go nowhere because their offset is longer than the mesh.
[[nodiscard]] std::vector<std::int64_t> travelling_bytes(const Problem& problem);

}  // namespace rondo::internal::alltoall

#endif
