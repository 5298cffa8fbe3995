/* The halo of a box for a 27-point stencil, by a message to and one from each of the 26 neighbors. */
#include <mpi.h>
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
  int full[3] = {W, W, W}, neighbors[26], processes, wrong = 0;
  MPI_Comm torus;
  MPI_Datatype types[52];
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Dims_create(processes, 3, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 3, sizes, periods, 0, &torus);
  MPI_Cart_get(torus, 3, sizes, periods, place);
  for (int m = 0; m < 26; m++) {
    int there[3], part[3], inside[3], outside[3];
    for (int d = 0, power = 9; d < 3; d++, power /= 3) {
      const int toward = (m < 13 ? m : m + 1) / power % 3 - 1; /* of 3 * 3 * 3 all but the middle */
      there[d] = place[d] + toward;
      part[d] = toward == 0 ? N : 1;
      inside[d] = toward > 0 ? N : 1;
      outside[d] = inside[d] + toward;
    }
    MPI_Cart_rank(torus, there, &neighbors[m]);
    MPI_Type_create_subarray(3, full, part, inside, MPI_ORDER_C, MPI_DOUBLE, &types[m]);
    MPI_Type_create_subarray(3, full, part, outside, MPI_ORDER_C, MPI_DOUBLE, &types[26 + m]);
  }
  for (int t = 0; t < 52; t++) MPI_Type_commit(&types[t]);
  for (int step = 1; step <= 3; step++) {
    MPI_Request messages[52];
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        for (int k = 1; k <= N; k++) box[i][j][k] = value(step, i, j, k);
    for (int m = 0; m < 26; m++) {
      MPI_Irecv(box, 1, types[26 + m], neighbors[m], 25 - m, torus, &messages[m]);
      MPI_Isend(box, 1, types[m], neighbors[m], m, torus, &messages[26 + m]);
    }
    /* compute what needs no halo */
    MPI_Waitall(52, messages, MPI_STATUSES_IGNORE);
    for (int i = 0; i < W; i++)
      for (int j = 0; j < W; j++)
        for (int k = 0; k < W; k++) wrong += box[i][j][k] != value(step, i, j, k);
  }
  for (int t = 0; t < 52; t++) MPI_Type_free(&types[t]);
  MPI_Comm_free(&torus);
  printf("%d wrong elements\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
