/// @file
/// CopyRun: one entry of a copy program.
#ifndef RONDO_DATATYPES_COPYING_COPY_RUN_HPP
#define RONDO_DATATYPES_COPYING_COPY_RUN_HPP

#include <cstdint>
#include <limits>
#include <type_traits>

namespace rondo::internal {

/// One entry of a copy program. All in bytes, relative to the two base addresses.
///
/// A run (`body` 0): `count` pieces of `bytes` bytes, from `source` to `target` and one stride further each time.
///
/// A growing run (`body` kGrowing): as a run, but after each piece its strides and its length change by what the next
/// entry says in `source_stride`, `target_stride` and `bytes`. That entry is nothing by itself.
///
/// A loop: the next `body` entries `count` times, with both base addresses moved by `source` and `target` and by a
/// stride more each time; `bytes` are moved each time.
struct CopyRun {
  std::int64_t source;
  std::int64_t target;
  std::int64_t source_stride;
  std::int64_t target_stride;
  std::int64_t bytes;
  std::uint32_t count;
  std::uint32_t body;
};
static_assert(sizeof(CopyRun) == 48 && std::is_trivially_copyable_v<CopyRun>);
inline constexpr std::uint32_t kGrowing = std::numeric_limits<std::uint32_t>::max();

/// One piece, and no more.
[[nodiscard]] constexpr bool is_single_piece(const CopyRun& run) noexcept { return run.count == 1 && run.body == 0; }

}  // namespace rondo::internal

#endif
