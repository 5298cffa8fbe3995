/// @file
/// Which messages of an execution could be claimed, as far as one end knows.
#ifndef RONDO_RUNTIME_EXECUTION_CLAIMABLE_HPP
#define RONDO_RUNTIME_EXECUTION_CLAIMABLE_HPP

#include "runtime/claims/claim_notice.hpp"
#include "runtime/shared_memory/allocated_memory.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::internal {

class Execution;

// Measured (bench shared_memory --arrays): what is shorter, or in shorter pieces, costs less in slots, as far as it
// fits those. A slot's line of news carries data too; and one copy from piece to piece moves a line of either rank's
// for each piece, where slots move packed ones.
inline constexpr std::int64_t kShortestClaimed = 4096;     ///< bytes of a message that is copied from array to array
inline constexpr std::int64_t kShortestPieceClaimed = 64;  ///< bytes of its pieces, on average, where it fits a slot

/// Those of an execution whose buffers are bound, of `shortest` bytes and more, also in shorter pieces than is said
/// above where those are not shorter than that; by partner: each the only one of its tag and direction between the two.
/// `rank`: the own one, which is no partner. Throws std::bad_alloc.
[[nodiscard]] std::map<int, std::vector<ClaimableMessage>> claimable_messages(const Execution& execution, int rank,
                                                                              const AllocatedMemory& memory,
                                                                              std::int64_t shortest = kShortestClaimed);

}  // namespace rondo::internal

#endif
