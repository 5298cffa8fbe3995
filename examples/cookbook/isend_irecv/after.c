/* The halo of a box for a 27-point stencil, by Rondo's halo exchange. */
#include <mpi.h>
#include <rondo/rondo.h>
#include <stdio.h>

enum { N = 5, W = N + 2 }; /* elements of a process along each dimension, without and with the halo */
static double box[W][W][W];
static int sizes[3], periods[3] = {1, 1, 1}, place[3];

/* What element (i, j, k) is, counted from the corner of the halo: its place on the whole torus, after a number. */
static double value(double number, int i, int j, int k) {
  const int own[3] = {i, j, k};
  for (int d = 0; d < 3; d++) number = 100 * number + (place[d] * N + own[d] - 1 + sizes[d] * N) % (sizes[d] * N);
  return number;
}

int main(int argc, char** argv) {
  int full[3] = {W, W, W}, depth[3] = {1, 1, 1}, processes, wrong = 0;
  MPI_Comm torus;
  Rondo_Request halo;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Dims_create(processes, 3, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 3, sizes, periods, 0, &torus);
  MPI_Cart_get(torus, 3, sizes, periods, place);
  Rondo_Iso_neighborhood_create(torus, 0, NULL, &torus); /* a halo needs the torus only, and no list of neighbors */
  Rondo_Halo_init(box, 3, full, NULL, depth, depth, MPI_ORDER_C, MPI_DOUBLE, RONDO_STENCIL_BOX, torus, MPI_INFO_NULL,
                  &halo);
  for (int step = 1; step <= 3; step++) {
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        for (int k = 1; k <= N; k++) box[i][j][k] = value(step, i, j, k);
    Rondo_Start(&halo);
    /* compute what needs no halo */
    Rondo_Wait(&halo, MPI_STATUS_IGNORE);
    for (int i = 0; i < W; i++)
      for (int j = 0; j < W; j++)
        for (int k = 0; k < W; k++) wrong += box[i][j][k] != value(step, i, j, k);
  }
  Rondo_Request_free(&halo);
  MPI_Comm_free(&torus);
  printf("%d wrong elements\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
