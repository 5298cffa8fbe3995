/// @file
/// Heat conduction with five points, and a serial run written from the definition to compare with.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_FIVE_POINT_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_FIVE_POINT_HPP

#include "../stencil/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stencil {

/// The one place with arithmetic, so that parallel and serial results agree bit for bit.
[[nodiscard]] inline double five_point(double center, double above, double below, double left, double right) {
  return center + 0.2 * (above + below + left + right - 4.0 * center);
}

/// five_point() as update() takes it.
struct FivePoint {
  double operator()(const Tile<const double>& old, int i, int j) const {
    return five_point(old.at(i, j), old.at(i - 1, j), old.at(i + 1, j), old.at(i, j - 1), old.at(i, j + 1));
  }
};

/// Cell (i, j) of the whole grid before the first step: no two places near each other look alike.
[[nodiscard]] inline double first_value(int i, int j) {
  std::uint64_t mixed = (static_cast<std::uint64_t>(i) << 32U) + static_cast<std::uint64_t>(j) + 1;
  mixed *= 0x9E3779B97F4A7C15U;
  return static_cast<double>((mixed >> 32U) % 1000);
}

/// The whole grid, row by row, after `steps` steps: no tiles, no halo, edges joined by their indices.
[[nodiscard]] inline std::vector<double> run_serial(int rows, int columns, int steps) {
  const auto index = [&](int i, int j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(j);
  };
  std::vector<double> old(index(rows, 0));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) old[index(i, j)] = first_value(i, j);
  }
  std::vector<double> next(old.size());
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        next[index(i, j)] =
            five_point(old[index(i, j)], old[index((i + rows - 1) % rows, j)], old[index((i + 1) % rows, j)],
                       old[index(i, (j + columns - 1) % columns)], old[index(i, (j + 1) % columns)]);
      }
    }
    std::swap(old, next);
  }
  return old;
}

}  // namespace stencil

#endif
