// The halo of a plate by Rondo's halo exchange.
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <cstdio>
#include <span>

constexpr int n = 6;      // cells of a process along either side
constexpr int w = n + 2;  // with the halo
static double plate[w][w];
static int sizes[2], periods[2], place[2];

// What is in cell (i, j), counted from the corner of the halo; 0 beyond the edges of the whole plate.
static double heat(int i, int j, int step) {
  const int row = place[0] * n + i - 1, column = place[1] * n + j - 1;
  if (row < 0 || row >= n * sizes[0] || column < 0 || column >= n * sizes[1]) return 0;
  return 1e6 * step + 1e3 * row + column;
}

static int run() {
  int processes = 0, wrong = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Dims_create(processes, 2, sizes);
  const rondo::CartComm grid(MPI_COMM_WORLD, sizes, periods, rondo::moore(2, 1));
  MPI_Cart_get(grid.native(), 2, sizes, periods, place);

  rondo::Request halo = rondo::halo_init(grid, rondo::HaloArray::of(std::span(&plate[0][0], w * w), {w, w}, 1));
  for (int step = 1; step <= 3; ++step) {
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) plate[i][j] = heat(i, j, step);
    halo.start();
    // compute what needs no halo
    halo.wait();
    for (int i = 0; i < w; ++i)
      for (int j = 0; j < w; ++j) wrong += plate[i][j] != heat(i, j, step);
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  std::printf("%d wrong cells\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
