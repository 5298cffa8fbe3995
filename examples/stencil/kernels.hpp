/// @file
/// The two 9-point kernels. A tile has a border of one cell on all sides; the arithmetic of a cell is the same wherever
/// the cell lies, so that parallel and serial results agree bit for bit.
#ifndef RONDO_EXAMPLES_STENCIL_KERNELS_HPP
#define RONDO_EXAMPLES_STENCIL_KERNELS_HPP

#include <span>

namespace stencil {

/// A tile of rows*columns cells inside a border: `cells` has (rows+2)*(columns+2) entries.
template <typename T>
struct Tile {
  T* cells;
  int rows;
  int columns;

  /// Cell (i, j); the border is at -1 and at rows or columns.
  T& at(int i, int j) const { return cells[(i + 1) * (columns + 2) + j + 1]; }
};

struct Diffusion {
  double operator()(const Tile<const double>& old, int i, int j) const {
    const double sides = old.at(i - 1, j) + old.at(i + 1, j) + old.at(i, j - 1) + old.at(i, j + 1);
    const double corners = old.at(i - 1, j - 1) + old.at(i - 1, j + 1) + old.at(i + 1, j - 1) + old.at(i + 1, j + 1);
    return old.at(i, j) + 0.1 * (sides - 4.0 * old.at(i, j)) + 0.025 * (corners - 4.0 * old.at(i, j));
  }
};

/// Conway's Game of Life on cells of 0 and 1.
struct Life {
  double operator()(const Tile<const double>& old, int i, int j) const {
    const double neighbors = old.at(i - 1, j - 1) + old.at(i - 1, j) + old.at(i - 1, j + 1) + old.at(i, j - 1) +
                             old.at(i, j + 1) + old.at(i + 1, j - 1) + old.at(i + 1, j) + old.at(i + 1, j + 1);
    return neighbors == 3.0 || (neighbors == 2.0 && old.at(i, j) == 1.0) ? 1.0 : 0.0;
  }
};

/// Updates the cells of rows [row_begin, row_end) and columns [column_begin, column_end).
template <typename Kernel>
void update(const Kernel& kernel, const Tile<const double>& old, const Tile<double>& next, int row_begin, int row_end,
            int column_begin, int column_end) {
  for (int i = row_begin; i < row_end; ++i) {
    for (int j = column_begin; j < column_end; ++j) next.at(i, j) = kernel(old, i, j);
  }
}

/// The cells that need no halo.
template <typename Kernel>
void update_interior(const Kernel& kernel, const Tile<const double>& old, const Tile<double>& next) {
  update(kernel, old, next, 1, old.rows - 1, 1, old.columns - 1);
}

/// The outermost rows and columns.
template <typename Kernel>
void update_border(const Kernel& kernel, const Tile<const double>& old, const Tile<double>& next) {
  update(kernel, old, next, 0, 1, 0, old.columns);
  if (old.rows > 1) update(kernel, old, next, old.rows - 1, old.rows, 0, old.columns);
  update(kernel, old, next, 1, old.rows - 1, 0, 1);
  if (old.columns > 1) update(kernel, old, next, 1, old.rows - 1, old.columns - 1, old.columns);
}

}  // namespace stencil

#endif
