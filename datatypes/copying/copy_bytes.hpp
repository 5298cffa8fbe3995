/// @file
/// copy_bytes(): copies one piece of memory.
#ifndef RONDO_DATATYPES_COPYING_COPY_BYTES_HPP
#define RONDO_DATATYPES_COPYING_COPY_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rondo::internal {

/// Copies as memcpy does, with short copies inlined: most blocks of a halo are short, and a call costs more than
/// copying them.
inline void copy_bytes(std::byte* target, const std::byte* source, std::size_t bytes) {
  // Two overlapping halves cover every length between one and two times the half.
  const auto halves = [&](auto half) {
    decltype(half) tail;
    std::memcpy(&half, source, sizeof half);
    std::memcpy(&tail, source + bytes - sizeof tail, sizeof tail);
    std::memcpy(target, &half, sizeof half);
    std::memcpy(target + bytes - sizeof tail, &tail, sizeof tail);
  };
  struct Sixteen {
    std::uint64_t words[2];
  };
  struct ThirtyTwo {
    std::uint64_t words[4];
  };
  if (bytes > 64) {
    std::memcpy(target, source, bytes);
  } else if (bytes >= 32) {
    halves(ThirtyTwo{});
  } else if (bytes >= 16) {
    halves(Sixteen{});
  } else if (bytes >= 8) {
    halves(std::uint64_t{});
  } else if (bytes >= 4) {
    halves(std::uint32_t{});
  } else {
    for (std::size_t i = 0; i < bytes; ++i) target[i] = source[i];
  }
}

}  // namespace rondo::internal

#endif
