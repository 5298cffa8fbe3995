/// @file
/// A layout as numbers, for another process to read.
#ifndef RONDO_DATATYPES_LAYOUT_LAYOUT_WORDS_HPP
#define RONDO_DATATYPES_LAYOUT_LAYOUT_WORDS_HPP

#include "datatypes/layout/layout.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal {

/// Appends what layout_from() reads: six numbers for each item, and one for each list of items. Throws std::bad_alloc.
void append_words(const Layout& layout, std::vector<std::int64_t>& words);

/// The layout of `bytes` bytes that exactly these words describe. Nothing where they describe none, or one that touches
/// anything outside [0, end): nothing in them is taken on trust. Throws std::bad_alloc.
[[nodiscard]] std::optional<Layout> layout_from(std::span<const std::int64_t> words, std::int64_t bytes,
                                                std::int64_t end);

}  // namespace rondo::internal

#endif
