/// @file
/// Numbers for the distinct ones among many vectors, in time linear in how many they are.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_NUMBERING_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_NUMBERING_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The distinct ones among some keys or vectors, numbered in ascending (lexicographic) order.
struct Numbering {
  std::vector<std::uint32_t> number_of;  ///< of each
  std::vector<std::uint32_t> first_of;   ///< for each number, the first that has it

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(first_of.size()); }
};

/// All keys are less than `bound`. At most 2^31 keys.
[[nodiscard]] Numbering number_keys(std::span<const std::uint64_t> keys, std::uint64_t bound);
/// `rows`: vectors of `width` coordinates each, one after the other. O(size of rows) and sorting the distinct ones.
[[nodiscard]] Numbering number_rows(std::span<const int> rows, std::size_t width);

}  // namespace rondo::internal

#endif
