/// @file
/// What is known of a datatype without walking its constructors.
#ifndef RONDO_DATATYPES_LAYOUT_CACHE_HPP
#define RONDO_DATATYPES_LAYOUT_CACHE_HPP

#include "datatypes/layout.hpp"

namespace rondo {

/// The layout that is remembered on a datatype, or nullptr; that of a predefined one comes from a table. Local. Throws
/// Error.
[[nodiscard]] std::shared_ptr<const Layout> known_layout(MPI_Datatype type);

}  // namespace rondo

#endif
