/// @file
/// The function mix(): a hash of numbers, the same on all ranks and machines.
#ifndef RONDO_RUNTIME_BASE_MIX_HPP
#define RONDO_RUNTIME_BASE_MIX_HPP

#include <cstdint>

namespace rondo::internal {

/// Returns a 64-bit hash continued with one more word (an FNV-style mix).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  hash ^= word;
  hash *= 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29);
}

}  // namespace rondo::internal

#endif
