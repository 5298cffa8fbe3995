/// @file
/// BlockSize: how long the blocks of a dense collective are, as far as that decides who does it.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_BLOCK_SIZE_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_BLOCK_SIZE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

enum class BlockSize : std::uint8_t {
  small,    ///< Open MPI has an algorithm of its own for alltoalls of them
  medium,   ///< longer
  sizable,  ///< longer, and short enough for lanes to pay where these are long
  large     ///< longer, or not the same on all ranks
};
inline constexpr std::array kBlockSizes{BlockSize::small, BlockSize::medium, BlockSize::sizable, BlockSize::large};

inline constexpr std::int64_t kSmallBlock = 256;    ///< bytes; up to here Open MPI takes Bruck's algorithm with copies
inline constexpr std::int64_t kMediumBlock = 4096;  ///< bytes; lanes take them however many ranks there are

/// `bytes`: negative where they may differ. `longest_in_lanes`: see longest_block_in_lanes().
[[nodiscard]] constexpr BlockSize block_size(std::int64_t bytes, std::int64_t longest_in_lanes) noexcept {
  if (bytes < 0 || bytes > longest_in_lanes) return BlockSize::large;
  if (bytes > kMediumBlock) return BlockSize::sizable;
  return bytes > kSmallBlock ? BlockSize::medium : BlockSize::small;
}

}  // namespace rondo::internal::plugin

#endif
