/// @file
/// The function mix_text(): a hash of texts, the same on all ranks and machines.
#ifndef RONDO_RUNTIME_BASE_MIX_TEXT_HPP
#define RONDO_RUNTIME_BASE_MIX_TEXT_HPP

#include "runtime/base/mix.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal {

/// Returns a 64-bit hash continued with each character of a text. To hash several texts, mix in their sizes too, which
/// tell where each text ends.
[[nodiscard]] constexpr std::uint64_t mix_text(std::uint64_t hash, std::string_view text) noexcept {
  for (const char character : text) hash = mix(hash, static_cast<unsigned char>(character));
  return hash;
}

}  // namespace rondo::internal

#endif
