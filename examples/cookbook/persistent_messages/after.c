/* The halo of a matrix for a 9-point stencil, by a persistent alltoall of Rondo's with eight neighbors. */
#include <mpi.h>
#include <rondo/rondo.h>
#include <stdio.h>

enum { N = 6, W = N + 2 }; /* elements of a process along each dimension, without and with the halo */
static double matrix[W][W];
static int sizes[2], periods[2] = {1, 1}, place[2];

/* What element (i, j) is, counted from the corner of the halo: a number for its place on the whole torus. */
static double value(int step, int i, int j) {
  const int rows = N * sizes[0], columns = N * sizes[1];
  return 1e6 * step + 1e3 * ((place[0] * N + i - 1 + rows) % rows) + (place[1] * N + j - 1 + columns) % columns;
}

int main(int argc, char** argv) {
  const int counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const int offsets[8][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
  const MPI_Aint displacements[8] = {0};
  int full[2] = {W, W}, processes, wrong = 0;
  MPI_Comm torus;
  MPI_Datatype types[16];
  Rondo_Request halo;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Dims_create(processes, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &torus);
  MPI_Cart_get(torus, 2, sizes, periods, place);
  Rondo_Iso_neighborhood_create(torus, 8, offsets[0], &torus);
  for (int m = 0; m < 8; m++) {
    int part[2], inside[2], outside[2];
    for (int d = 0; d < 2; d++) {
      const int toward = offsets[m][d]; /* what goes there comes from the other side */
      part[d] = toward == 0 ? N : 1;
      inside[d] = toward > 0 ? N : 1;
      outside[d] = toward < 0 ? N + 1 : 1 - toward;
    }
    MPI_Type_create_subarray(2, full, part, inside, MPI_ORDER_C, MPI_DOUBLE, &types[m]);
    MPI_Type_create_subarray(2, full, part, outside, MPI_ORDER_C, MPI_DOUBLE, &types[8 + m]);
    MPI_Type_commit(&types[m]);
    MPI_Type_commit(&types[8 + m]);
  }
  Rondo_Cart_alltoallw_init(matrix, counts, displacements, types, matrix, counts, displacements, &types[8], torus,
                            MPI_INFO_NULL, &halo);
  for (int step = 1; step <= 3; step++) {
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++) matrix[i][j] = value(step, i, j);
    Rondo_Start(&halo);
    /* compute what needs no halo */
    Rondo_Wait(&halo, MPI_STATUS_IGNORE);
    for (int i = 0; i < W; i++)
      for (int j = 0; j < W; j++) wrong += matrix[i][j] != value(step, i, j);
  }
  Rondo_Request_free(&halo);
  for (int t = 0; t < 16; t++) MPI_Type_free(&types[t]);
  MPI_Comm_free(&torus);
  printf("%d wrong elements\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
