/// @file
/// build_carried(): an alltoall between nodes with few messages for each ordered pair of nodes.
#ifndef RONDO_COLLECTIVES_CARRIERS_CARRIED_ALLTOALL_HPP
#define RONDO_COLLECTIVES_CARRIERS_CARRIED_ALLTOALL_HPP

#include "collectives/carriers/node_traffic.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <span>

namespace rondo::internal {

/// The blocks that a rank sends and receives, indexed by their numbers in its NodeTraffic.
struct CarriedBlocks {
  std::span<const BlockId> send;
  std::span<const BlockId> recv;
};

/// Number of tags that build_carried() takes, from the first one on.
inline constexpr std::uint32_t kCarriedTags = 3;

/// Builds a rank's part of everything that leaves its node, and of what comes to it from other nodes: members hand
/// their blocks to the carriers, these send them to their partners on the other nodes, which hand out what has come.
/// `sharers`: maximum number of ranks of a node whose blocks for another node go as one message. There are three
/// phases, of which the caller has begun the first. No message may be longer than MPI can count: see fits_carriers().
void build_carried(const NodeTraffic& traffic, int rank, int sharers, const CarriedBlocks& blocks,
                   std::uint32_t first_tag, ScheduleBuilder& builder);

/// Returns whether MPI can count all messages between nodes if each rank sends and receives `bytes` bytes at most.
[[nodiscard]] bool fits_carriers(const NodeMembers& nodes, std::int64_t bytes);

}  // namespace rondo::internal

#endif
