// The halo of a plate by a persistent alltoall of Rondo's, with a datatype for columns.
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <cstdio>

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
  rondo::CartComm grid(MPI_COMM_WORLD, sizes, periods, {{-1, 0}, {1, 0}, {0, -1}, {0, 1}});
  MPI_Cart_get(grid.native(), 2, sizes, periods, place);

  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, w, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  // To the processes above, below, left and right; from those on the other side: below, above, right and left.
  const rondo::SendBlock sent[] = {{&plate[1][1], n, MPI_DOUBLE},
                                   {&plate[n][1], n, MPI_DOUBLE},
                                   {&plate[1][1], 1, column},
                                   {&plate[1][n], 1, column}};
  const rondo::RecvBlock received[] = {{&plate[n + 1][1], n, MPI_DOUBLE},
                                       {&plate[0][1], n, MPI_DOUBLE},
                                       {&plate[1][n + 1], 1, column},
                                       {&plate[1][0], 1, column}};
  rondo::Request halo = grid.alltoallw_init(sent, received);
  for (int step = 1; step <= 3; ++step) {
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) plate[i][j] = heat(i, j, step);
    halo.start();
    // compute what needs no halo
    halo.wait();
    for (int i = 0; i < w; ++i)
      for (int j = 0; j < w; ++j)
        if (i % (n + 1) != 0 || j % (n + 1) != 0) wrong += plate[i][j] != heat(i, j, step);  // all but the corners
  }
  MPI_Type_free(&column);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  std::printf("%d wrong cells\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
