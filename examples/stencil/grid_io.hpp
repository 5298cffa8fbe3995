/// @file
/// Images and arrays: PGM, PPM and NumPy files to and from grids of doubles.
#ifndef RONDO_EXAMPLES_STENCIL_GRID_IO_HPP
#define RONDO_EXAMPLES_STENCIL_GRID_IO_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace stencil {

/// `channels` planes of rows*columns cells, row by row.
struct Grid {
  int rows = 0;
  int columns = 0;
  int channels = 1;
  double white = 255;  ///< value of the brightest pixel, for writing
  std::vector<double> cells;
};

/// Reads .pgm and .ppm (plain and raw, 8 and 16 bits) and .npy (little-endian float64, float32, uint8; 2-D, or 3-D with
/// the channels last). Throws std::runtime_error that names the file and what is wrong with it.
Grid read_grid(const std::string& path);
/// The values as bytes, clamped to [0, white], the channels of a cell together: what images of 8 bits hold.
std::vector<std::uint8_t> pixels(const Grid& grid);
/// Writes .npy (float64) or, by the number of channels, .pgm or .ppm (8 bits, values clamped to [0, white]).
void write_grid(const std::string& path, const Grid& grid);

}  // namespace stencil

#endif
