/// @file
/// Whether layouts share bytes, found from their descriptions.
#ifndef RONDO_DATATYPES_LAYOUT_OVERLAP_HPP
#define RONDO_DATATYPES_LAYOUT_OVERLAP_HPP

#include "datatypes/layout/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rondo::internal {

/// Bytes [begin, end), all of them in one piece of each of two layouts: their indices in the lists they are from.
struct Overlap {
  std::size_t one;
  std::size_t other;
  std::int64_t begin;
  std::int64_t end;
};

/// Some bytes that are in one of `ones` and in one of `others`, if there are any; what the layouts of one list have in
/// common does not count. Costs what the sorted runs of the layouts do, and a logarithm of the strides for two runs
/// that are interleaved, or, where many are, what the sorted pieces do.
[[nodiscard]] std::optional<Overlap> find_overlap(std::span<const PlacedLayout> ones,
                                                  std::span<const PlacedLayout> others);

/// Some bytes that are in two of `layouts`, or twice in one of them (whose index is then both `one` and `other`), if
/// there are any. Costs as much as the above.
[[nodiscard]] std::optional<Overlap> find_overlap(std::span<const PlacedLayout> layouts);

}  // namespace rondo::internal

#endif
