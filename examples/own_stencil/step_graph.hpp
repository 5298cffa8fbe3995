// Two steps of a stencil as one graph of one's own: messages and functions, each of which waits for its own data only.
#ifndef OWN_STENCIL_STEP_GRAPH_HPP
#define OWN_STENCIL_STEP_GRAPH_HPP

#include <mpi.h>
#include <rondo/schedule.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What a rank has of a plate, whose rows the ranks share: `rows` rows of `cols` temperatures, between a row of the
/// rank above and one of the rank below. Inner rows are in `tiles` pieces, at most rows - 2.
struct Slab {
  int rows;
  int cols;
  int tiles;
  /// Of one of the two grids, which lie one after the other.
  [[nodiscard]] int elements() const { return (rows + 2) * cols; }
};

/// Rows of one piece after a step: each element is the mean of its four neighbors, but in the first and last column.
inline void relax(const rondo::ComputeBlocks& blocks, std::size_t cols) {
  const auto above = blocks.read<double>(0);
  const auto own = blocks.read<double>(1);
  const auto below = blocks.read<double>(2);
  const auto next = blocks.write<double>(0);
  for (std::size_t begin = 0; begin < own.size(); begin += cols) {
    const double* north = begin == 0 ? above.data() + above.size() - cols : own.data() + begin - cols;
    const double* south = begin + cols == own.size() ? below.data() : own.data() + begin + cols;
    const double* row = own.data() + begin;
    next[begin] = row[0];
    for (std::size_t j = 1; j + 1 < cols; ++j)
      next[begin + j] = 0.25 * ((north[j] + south[j]) + (row[j - 1] + row[j + 1]));
    next[begin + cols - 1] = row[cols - 1];
  }
}

/// From the first grid to the second and back, in place. Rows beyond the plate stay as they are, in both grids. There
/// is no barrier between the steps: the edges of the second leave as soon as they are computed.
inline rondo::Lowering two_steps(const Slab& slab) {
  return [slab](rondo::ScheduleBuilder& build, int rank, int size) {
    build.set_in_place();
    const int up = rank == 0 ? MPI_PROC_NULL : rank - 1;
    const int down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    std::array<std::vector<rondo::Block>, 2> pieces;  // of each grid: halo, edge, tiles, edge, halo
    for (std::size_t grid = 0; grid < 2; ++grid) {
      std::int64_t begin = grid == 0 ? 0 : slab.elements();
      const auto add = [&](int rows) {
        pieces[grid].push_back(build.recv_block(8 * begin, std::int64_t{rows} * slab.cols, MPI_DOUBLE));
        begin += std::int64_t{rows} * slab.cols;
      };
      for (int piece = 0; piece < 2; ++piece) add(1);
      for (int tile = 0, inner = slab.rows - 2; tile < slab.tiles; ++tile)
        add(inner * (tile + 1) / slab.tiles - inner * tile / slab.tiles);
      for (int piece = 0; piece < 2; ++piece) add(1);
      if (up == MPI_PROC_NULL) build.set_filled(pieces[grid].front());
      if (down == MPI_PROC_NULL) build.set_filled(pieces[grid].back());
    }
    const std::size_t last = pieces[0].size() - 1;
    for (std::size_t piece = 1; piece < last; ++piece) build.set_filled(pieces[0][piece]);
    const auto cols = static_cast<std::size_t>(slab.cols);
    const auto function = [cols](const rondo::ComputeBlocks& blocks) { relax(blocks, cols); };
    for (std::size_t step = 0; step < 2; ++step) {
      const std::vector<rondo::Block>& now = pieces[step];
      build.begin_phase();
      build.exchange(up, now[1], now[0]);
      build.exchange(down, now[last - 1], now[last]);
      for (std::size_t piece = 1; piece < last; ++piece) {
        const std::string name = piece == 1 ? "upper edge" : piece == last - 1 ? "lower edge" : "tile";
        build.compute({now[piece - 1], now[piece], now[piece + 1]}, pieces[1 - step][piece], function, name);
      }
    }
  };
}

#endif
