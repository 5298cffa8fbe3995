/// @file
/// The function claimable_messages(), which finds the messages of an execution that one end could claim.
#ifndef RONDO_RUNTIME_EXECUTION_CLAIMABLE_HPP
#define RONDO_RUNTIME_EXECUTION_CLAIMABLE_HPP

#include "runtime/claims/claim_notice.hpp"
#include "runtime/shared_memory/allocated_memory.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::internal {

class Execution;

// Measured (bench shared_memory --arrays): messages that are shorter, or in shorter pieces, cost less in slots, if they
// fit a slot. The cache line that announces a slot carries data too. And a single copy from piece to piece moves a
// cache line of either rank for each piece, while slots move packed lines.
inline constexpr std::int64_t kShortestClaimed = 4096;     ///< minimum bytes of a message copied from array to array
inline constexpr std::int64_t kShortestPieceClaimed = 64;  ///< minimum average bytes of its pieces, if it fits a slot

/// Returns the messages of an execution that could be claimed at this end, by partner. The execution's buffers must be
/// bound. Each message has at least `shortest` bytes and is the only one of its tag and direction between the two
/// ranks. The pieces of a message that fits a slot have at least kShortestPieceClaimed bytes on average, or `shortest`
/// bytes if that is less. `rank`: the own rank, which is no partner. Throws std::bad_alloc.
[[nodiscard]] std::map<int, std::vector<ClaimableMessage>> claimable_messages(const Execution& execution, int rank,
                                                                              const AllocatedMemory& memory,
                                                                              std::int64_t shortest = kShortestClaimed);

}  // namespace rondo::internal

#endif
