/// @file
/// Cutting a layout into parts of a number of bytes each.
#ifndef RONDO_DATATYPES_LAYOUT_LAYOUT_CUT_HPP
#define RONDO_DATATYPES_LAYOUT_LAYOUT_CUT_HPP

#include "datatypes/layout/layout.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// The data of a layout in parts: each has the next `bytes` bytes, at least 1, in the order in which MPI packs them;
/// the last has what is left. Offsets are those of the layout. None for a layout without bytes. What repeats stays a
/// loop, so that parts are about as short as the layout is.
[[nodiscard]] std::vector<Layout> cut(const Layout& layout, std::int64_t bytes);

}  // namespace rondo::internal

#endif
