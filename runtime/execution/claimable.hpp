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

/// Shortest message, in bytes, that is copied once, from array to array: a shorter one costs less in a slot, whose line
/// of news carries data too (bench shared_memory).
inline constexpr std::int64_t kShortestClaimed = 4096;

/// Those of an execution whose buffers are bound, of `shortest` bytes and more, by partner: each the only one of its
/// tag and direction between the two. `rank`: the own one, which is no partner. Throws std::bad_alloc.
[[nodiscard]] std::map<int, std::vector<ClaimableMessage>> claimable_messages(const Execution& execution, int rank,
                                                                              const AllocatedMemory& memory,
                                                                              std::int64_t shortest = kShortestClaimed);

}  // namespace rondo::internal

#endif
