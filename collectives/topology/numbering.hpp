/// @file
/// Numbers the distinct ones among many vectors, in time linear in their number.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_NUMBERING_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_NUMBERING_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The distinct ones among some keys or vectors, numbered in ascending (lexicographic) order.
struct Numbering {
  std::vector<std::uint32_t> number_of;  ///< number of each key or vector
  std::vector<std::uint32_t> first_of;   ///< for each number, the first key or vector that has it

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(first_of.size()); }
};

/// Numbers keys, all less than `bound`. At most 2^31 keys.
[[nodiscard]] Numbering number_keys(std::span<const std::uint64_t> keys, std::uint64_t bound);
/// Numbers `rows`: vectors of `width` coordinates each, one after the other. O(size of rows), and sorts the distinct
/// ones.
[[nodiscard]] Numbering number_rows(std::span<const int> rows, std::size_t width);

}  // namespace rondo::internal

#endif
