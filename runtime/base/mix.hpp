/// @file
/// The functions mix() and mix_text(): a hash of numbers and texts, the same on all ranks and machines.
#ifndef RONDO_RUNTIME_BASE_MIX_HPP
#define RONDO_RUNTIME_BASE_MIX_HPP

#include <cstdint>
#include <string_view>

namespace rondo::internal {

/// Returns a 64-bit hash continued with one more word (an FNV-style mix).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  hash ^= word;
  hash *= 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29);
}

/// Returns a 64-bit hash continued with each character of a text. To hash several texts, mix in their sizes too, which
/// tell where each text ends.
[[nodiscard]] constexpr std::uint64_t mix_text(std::uint64_t hash, std::string_view text) noexcept {
  for (const char character : text) hash = mix(hash, static_cast<unsigned char>(character));
  return hash;
}

}  // namespace rondo::internal

#endif
