/// @file
/// Copying between two layouts, compiled to a short list of strided runs.
#ifndef RONDO_DATATYPES_COPY_PROGRAM_HPP
#define RONDO_DATATYPES_COPY_PROGRAM_HPP

#include "datatypes/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace rondo {

/// `count` pieces of `bytes` bytes, from `source` to `target` and one stride further each time. All in bytes, relative
/// to the two base addresses.
struct CopyRun {
  std::int64_t source;
  std::int64_t target;
  std::int64_t bytes;
  std::int64_t count;
  std::int64_t source_stride;
  std::int64_t target_stride;
};
static_assert(sizeof(CopyRun) == 48 && std::is_trivially_copyable_v<CopyRun>);

/// A list of runs under construction: neighbors merge as they are appended.
class CopyProgram {
 public:
  /// Adds one piece.
  void append(std::int64_t source, std::int64_t target, std::int64_t bytes);
  /// Adds the data of `from` at `source`, in its order, into the places of `to` at `target` (the "transpack" of the
  /// zero-copy Bruck paper, section 3.2: no buffer between). Both must hold the same number of bytes.
  void append(const Layout& from, std::int64_t source, const Layout& to, std::int64_t target);

  [[nodiscard]] std::span<const CopyRun> runs() const noexcept { return runs_; }
  /// Bytes that the whole program moves.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::vector<CopyRun> runs_;
  std::int64_t bytes_ = 0;
};

/// memcpy whose short forms are inlined: most blocks of a halo are short, and a call costs more than they do.
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
  if (bytes > 32) {
    std::memcpy(target, source, bytes);
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

/// Runs a program between two base addresses, which must not overlap where it reads and writes.
void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target);

}  // namespace rondo

#endif
