/// @file
/// Grids as PNG images, without a library: 8 bits a channel, not compressed.
#ifndef RONDO_EXAMPLES_STENCIL_PNG_HPP
#define RONDO_EXAMPLES_STENCIL_PNG_HPP

#include "grid_io.hpp"

#include <string>

namespace stencil {

/// Gray for one channel, color for three. Throws std::runtime_error that names the file for another number of channels,
/// and when it cannot be written.
void write_png(const std::string& path, const Grid& grid);

}  // namespace stencil

#endif
