/* The halo exchange of the paper's listing 3 in C: a matrix with a border of one cell, sent and received in place. */
#include <mpi.h>
#include <rondo/rondo.h>
#include <stdio.h>

enum { N = 6, W = N + 2, T = 8 };

int main(int argc, char** argv) {
  static double matrix[W][W];
  const int periods[2] = {1, 1};
  const int target[2 * T] = {0, 1, 0, -1, -1, 0, 1, 0, -1, 1, 1, 1, 1, -1, -1, -1};
  int dimensions[2] = {0, 0}, place[2];
  int sendcount[T], recvcount[T];
  MPI_Aint senddisp[T], recvdisp[T];
  MPI_Datatype sendtype[T], recvtype[T], column;
  MPI_Comm cart;
  Rondo_Request halo;
  int p, rank, i, j, step, wrong = 0;

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Dims_create(p, 2, dimensions);
  Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, dimensions, periods, T, target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &cart);
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_coords(cart, rank, 2, place);

  MPI_Type_vector(N, 1, W, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (i = 0; i < T; i++) {
    const int a = target[2 * i], b = target[2 * i + 1];
    const int out_row = a > 0 ? N : 1, out_column = b > 0 ? N : 1;
    const int in_row = a > 0 ? 0 : a < 0 ? N + 1 : 1, in_column = b > 0 ? 0 : b < 0 ? N + 1 : 1;
    sendtype[i] = recvtype[i] = a == 0 ? column : MPI_DOUBLE;
    sendcount[i] = recvcount[i] = b == 0 ? N : 1;
    senddisp[i] = (MPI_Aint)sizeof(double) * (out_row * W + out_column);
    recvdisp[i] = (MPI_Aint)sizeof(double) * (in_row * W + in_column);
  }
  Rondo_Cart_alltoallw_init(matrix, sendcount, senddisp, sendtype, matrix, recvcount, recvdisp, recvtype, cart,
                            MPI_INFO_NULL, &halo);
  MPI_Type_free(&column);

  for (step = 0; step < 10; step++) {
    const int rows = N * dimensions[0], columns = N * dimensions[1];
    for (i = 1; i <= N; i++) {
      for (j = 1; j <= N; j++) {
        matrix[i][j] = step * 1e6 + (place[0] * N + i - 1) * columns + place[1] * N + j - 1;
      }
    }
    Rondo_Start(&halo);
    /* compute the interior here */
    Rondo_Wait(&halo, MPI_STATUS_IGNORE);
    for (i = 0; i < W; i++) {
      for (j = 0; j < W; j++) {
        const int row = (place[0] * N + i - 1 + rows) % rows;
        const int col = (place[1] * N + j - 1 + columns) % columns;
        wrong += matrix[i][j] != step * 1e6 + row * columns + col;
      }
    }
  }
  Rondo_Request_free(&halo);
  MPI_Comm_free(&cart);
  printf("rank %d: %d wrong cells\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
