/// @file
/// The direct algorithm along the edges of any topology.
#ifndef RONDO_COLLECTIVES_EDGES_DIRECT_HPP
#define RONDO_COLLECTIVES_EDGES_DIRECT_HPP

#include "collectives/blocks/block_shape.hpp"
#include "collectives/edges/lists.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <span>

namespace rondo::internal::edges {

/// A collective along edges on one process: the blocks that it sends to its targets, one for each or one for all of
/// them, and those that it receives from its sources. Blocks without a neighbor are empty.
struct Problem {
  const Lists& lists;
  std::span<const BlockShape> send;
  std::span<const BlockShape> recv;
  std::uint32_t tags;  ///< maximum number that any rank needs, the same on all ranks
};

void build_direct(const Problem& problem, ScheduleBuilder& builder);

}  // namespace rondo::internal::edges

#endif
