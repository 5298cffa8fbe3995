/// @file
/// BlockSize: classes of block lengths of a dense collective, by which Rondo or MPI is chosen.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_BLOCK_SIZE_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_BLOCK_SIZE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

enum class BlockSize : std::uint8_t {
  small,    ///< up to kSmallBlock; Open MPI has a special algorithm for alltoalls of these
  medium,   ///< up to kMediumBlock
  sizable,  ///< longer, but short enough to be faster through long lanes
  large     ///< longer still, or not the same on all ranks
};
inline constexpr std::array kBlockSizes{BlockSize::small, BlockSize::medium, BlockSize::sizable, BlockSize::large};

inline constexpr std::int64_t kSmallBlock = 256;    ///< bytes; up to here Open MPI uses Bruck's algorithm with copies
inline constexpr std::int64_t kMediumBlock = 4096;  ///< bytes; lanes accept these with any number of ranks

/// Returns the class of a block. `bytes`: negative if ranks may differ. `longest_in_lanes`: see
/// longest_block_in_lanes().
[[nodiscard]] constexpr BlockSize block_size(std::int64_t bytes, std::int64_t longest_in_lanes) noexcept {
  if (bytes < 0 || bytes > longest_in_lanes) return BlockSize::large;
  if (bytes > kMediumBlock) return BlockSize::sizable;
  return bytes > kSmallBlock ? BlockSize::medium : BlockSize::small;
}

}  // namespace rondo::internal::plugin

#endif
