/// @file
/// append_words() and layout_from(): write a layout as numbers, and read it in another process.
#ifndef RONDO_DATATYPES_LAYOUT_LAYOUT_WORDS_HPP
#define RONDO_DATATYPES_LAYOUT_LAYOUT_WORDS_HPP

#include "datatypes/layout/layout.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal {

/// Appends to `words` the numbers from which layout_from() makes a layout of the same bytes: six for each item, and one
/// for each list of items. Throws std::bad_alloc.
void append_words(const Layout& layout, std::vector<std::int64_t>& words);

/// Returns the layout of `bytes` bytes that exactly these words describe. Returns nothing if the words describe no
/// layout, or one with bytes outside [0, end): everything in the words is checked. Throws std::bad_alloc.
[[nodiscard]] std::optional<Layout> layout_from(std::span<const std::int64_t> words, std::int64_t bytes,
                                                std::int64_t end);

}  // namespace rondo::internal

#endif
