/// @file
/// find_overlap(): finds bytes that layouts share, from the descriptions of the layouts.
#ifndef RONDO_DATATYPES_LAYOUT_OVERLAP_HPP
#define RONDO_DATATYPES_LAYOUT_OVERLAP_HPP

#include "datatypes/layout/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rondo::internal {

/// The result of find_overlap(): bytes [begin, end) that lie in one piece of each of two layouts. `one` and `other` are
/// the indices of the layouts in their lists.
struct Overlap {
  std::size_t one;
  std::size_t other;
  std::int64_t begin;
  std::int64_t end;
};

/// Returns some bytes that are in one of `ones` and in one of `others`, or nothing if there are none; bytes that the
/// layouts of one list have in common do not count. Costs as much as sorting the runs of the layouts, and a logarithm
/// of the strides for two interleaved runs, or, if many are interleaved, as much as sorting the pieces.
[[nodiscard]] std::optional<Overlap> find_overlap(std::span<const PlacedLayout> ones,
                                                  std::span<const PlacedLayout> others);

/// Returns some bytes that are in two of `layouts`, or twice in one of them (whose index is then both `one` and
/// `other`), or nothing if there are none. Costs as much as find_overlap() of two lists.
[[nodiscard]] std::optional<Overlap> find_overlap(std::span<const PlacedLayout> layouts);

}  // namespace rondo::internal

#endif
