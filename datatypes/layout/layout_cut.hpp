/// @file
/// cut(): cuts a layout into parts of a number of bytes each.
#ifndef RONDO_DATATYPES_LAYOUT_LAYOUT_CUT_HPP
#define RONDO_DATATYPES_LAYOUT_LAYOUT_CUT_HPP

#include "datatypes/layout/layout.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// Returns the data of a layout in parts: each has the next `bytes` bytes, at least 1, in the order in which MPI packs
/// them; the last part has the rest. Offsets are those of the layout. A layout without bytes has no parts. Repetitions
/// stay loops, so that the descriptions of parts are about as short as that of the layout.
[[nodiscard]] std::vector<Layout> cut(const Layout& layout, std::int64_t bytes);

}  // namespace rondo::internal

#endif
