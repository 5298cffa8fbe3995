// A stencil of one's own (step_graph.hpp): heat spreads over a plate, two steps a start, and the result is compared
// with that of one process.
#include "step_graph.hpp"

#include <mpi.h>
#include <rondo/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

constexpr Slab kSlab{.rows = 12, .cols = 40, .tiles = 3};
constexpr int kStarts = 25;

/// The whole plate at the beginning, with a row beyond it on either side: one side is hot.
std::vector<double> plate(int rows) {
  std::vector<double> cells(static_cast<std::size_t>((rows + 2) * kSlab.cols));
  std::fill_n(cells.begin(), kSlab.cols, 100.0);
  return cells;
}

std::vector<double> computed_alone(int rows) {
  std::vector<double> now = plate(rows);
  std::vector<double> next = now;
  const auto at = [](int row, int col) { return static_cast<std::size_t>(row * kSlab.cols + col); };
  for (int step = 0; step < 2 * kStarts; ++step) {
    for (int i = 1; i <= rows; ++i) {
      for (int j = 1; j + 1 < kSlab.cols; ++j)
        next[at(i, j)] = 0.25 * ((now[at(i - 1, j)] + now[at(i + 1, j)]) + (now[at(i, j - 1)] + now[at(i, j + 1)]));
    }
    std::swap(now, next);
  }
  return now;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = true;
  {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const std::vector<double> all = plate(kSlab.rows * size);
    const auto mine = all.begin() + rank * kSlab.rows * kSlab.cols;
    std::vector<double> grids(static_cast<std::size_t>(2 * kSlab.elements()));
    for (int grid = 0; grid < 2; ++grid) std::copy_n(mine, kSlab.elements(), grids.begin() + grid * kSlab.elements());

    rondo::OwnCollective steps(MPI_COMM_WORLD, "two steps", two_steps(kSlab));
    rondo::Request request = steps.init(rondo::in_place, grids);
    for (int start = 0; start < kStarts; ++start) {
      request.start();
      request.wait();
    }

    const std::vector<double> expected = computed_alone(kSlab.rows * size);
    right = std::equal(grids.begin() + kSlab.cols, grids.begin() + (kSlab.rows + 1) * kSlab.cols,
                       expected.begin() + (rank * kSlab.rows + 1) * kSlab.cols);
    std::printf("rank %d of %d: %d steps, %s\n", rank, size, 2 * kStarts, right ? "bit for bit equal" : "wrong");
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
