// The halo of a plate by MPI_Neighbor_alltoallw, with a datatype for columns.
#include <mpi.h>

#include <cstdio>

constexpr int n = 6;      // cells of a process along either side
constexpr int w = n + 2;  // with the halo
static double plate[w][w];
static int sizes[2], periods[2], place[2];

static MPI_Aint bytes_to(int i, int j) { return static_cast<MPI_Aint>(sizeof(double)) * (i * w + j); }

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
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
  MPI_Cart_get(grid, 2, sizes, periods, place);

  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, w, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const int counts[] = {n, n, 1, 1};  // above, below, left, right
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE, column, column};
  const MPI_Aint sent[] = {bytes_to(1, 1), bytes_to(n, 1), bytes_to(1, 1), bytes_to(1, n)};
  const MPI_Aint received[] = {bytes_to(0, 1), bytes_to(n + 1, 1), bytes_to(1, 0), bytes_to(1, n + 1)};
  for (int step = 1; step <= 3; ++step) {
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) plate[i][j] = heat(i, j, step);
    MPI_Neighbor_alltoallw(plate, counts, sent, types, plate, counts, received, types, grid);
    for (int i = 0; i < w; ++i)
      for (int j = 0; j < w; ++j)
        if (i % (n + 1) != 0 || j % (n + 1) != 0) wrong += plate[i][j] != heat(i, j, step);  // all but the corners
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  std::printf("%d wrong cells\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
