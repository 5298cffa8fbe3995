/// @file
/// What an alltoall lowering is given.
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

/// A Cartesian alltoall on one rank: block i goes to neighbor i and block i comes from source i. On a mesh, the blocks
/// of neighbors and sources that do not exist are empty.
struct Problem {
  const Grid& grid;
  const NeighborhoodFacts& facts;  ///< of the neighborhood
  std::span<const BlockShape> send;
  std::span<const BlockShape> recv;
  bool uniform;  ///< all ranks know that block i has the same size on all of them
  const CostModel& costs;
  /// Where uniform, the agreed size of each block in bytes on every rank that has it: t entries. A process must know
  /// also those of blocks that only pass through it.
  std::span<const std::int64_t> sizes = {};
  int ports = 0;                       ///< exchanges that the direct algorithm has in flight at once; 0: all
  const NearOffsets* near = nullptr;   ///< which messages stay on a node; null: none are known to
  const NodeMembers* nodes = nullptr;  ///< where there are several, and one of several ranks; otherwise null
};

/// The blocks of a problem as a builder knows them.
struct Blocks {
  /// `in_transit`: how many more blocks the lowering is going to make.
  Blocks(const Problem& problem, ScheduleBuilder& builder, std::size_t in_transit = 0);
  std::vector<BlockId> send;
  std::vector<BlockId> recv;
};

/// Neighbors of a problem that are the same process, each group in list order; groups in the order of their first
/// members. The group of the process itself, if any, has `to_self` set. The same on all ranks but for target and
/// source.
struct TargetGroup {
  int target;  ///< kNoRank beyond the edge
  int source;  ///< kNoRank beyond the edge
  bool to_self;
  std::vector<int> members;
};
[[nodiscard]] std::vector<TargetGroup> group_by_target(const Problem& problem);

/// Copies the blocks that stay on the process, all in one task. Blocks without bytes are left out.
void copy_to_self(const Blocks& blocks, std::span<const int> members, ScheduleBuilder& builder);

/// For predictions: `sizes`, with zero for blocks that are on their way nowhere, as their offset is longer than the
/// mesh.
[[nodiscard]] std::vector<std::int64_t> travelling_bytes(const Problem& problem);

}  // namespace rondo::internal::alltoall

#endif
