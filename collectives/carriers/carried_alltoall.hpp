/// @file
/// An alltoall between nodes: few messages for each ordered pair of them.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_ALLTOALL_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_ALLTOALL_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <span>

namespace rondo::internal {

/// What a rank sends and receives, by the numbers that its traffic has for the blocks.
struct CarriedBlocks {
  std::span<const BlockId> send;
  std::span<const BlockId> recv;
};

/// Tags that build_carried() takes, from the first one on.
inline constexpr std::uint32_t kCarriedTags = 3;

/// Everything that leaves the node of `rank`, and what comes to it from other nodes: members hand their blocks to the
/// carriers, these send them to their partners on the other nodes, which hand out what has come. `sharers`: the most
/// ranks of a node whose blocks for another one go as one message. Three phases, of which the caller has begun the
/// first. No message may be longer than MPI can count: see fits_carriers().
void build_carried(const NodeTraffic& traffic, int rank, int sharers, const CarriedBlocks& blocks,
                   std::uint32_t first_tag, ScheduleBuilder& builder);

/// Whether all messages are short enough, where each rank sends and receives `bytes` bytes at most.
[[nodiscard]] bool fits_carriers(const NodeMembers& nodes, std::int64_t bytes);

}  // namespace rondo::internal

#endif
