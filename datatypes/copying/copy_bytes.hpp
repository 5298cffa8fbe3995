/// @file
/// copy_bytes(): copies one piece of memory.
#ifndef RONDO_DATATYPES_COPYING_COPY_BYTES_HPP
#define RONDO_DATATYPES_COPYING_COPY_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rondo::internal {

/// Copies many bytes as memcpy does, but in pieces if the target's place in its page of 4096 bytes is up to 15 bytes
/// behind that of the source. memcpy of glibc 2.36 uses a string instruction from 2 KiB to about 1 MiB, with which
/// AMD's Zen 4 takes 16 times as long there as elsewhere.
[[gnu::noinline]] inline void copy_long(std::byte* target, const std::byte* source, std::size_t bytes) {
  constexpr std::size_t kPiece = 2048;
  const auto distance = reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source);
  if (distance % 4096 - 1 < 15 && bytes < std::size_t{1} << 20U) {
    for (; bytes > kPiece; bytes -= kPiece, target += kPiece, source += kPiece) std::memcpy(target, source, kPiece);
  }
  std::memcpy(target, source, bytes);
}

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
    copy_long(target, source, bytes);
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
