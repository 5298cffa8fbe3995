/* The C interface from C99: allgather and the reductions in all forms and under both papers' names, and alltoall under
 * the second, on a torus, against the definition. Returns 0 when all is right. */
#include <mpi.h>
#include <rondo/cart.h>
#include <stdio.h>
#include <string.h>

enum { T = 5, M = 3 };

static int failures = 0;
static int rank;
static int source[T];

/* Element j of block i that a rank sends. */
static int content(int from, int i, int j) { return from * 100 + i * 10 + j; }

/* What element j of block i of the receive buffer must be. */
typedef int Expected(int i, int j);

static int personalized(int i, int j) { return content(source[i], i, j); }
static int gathered(int i, int j) { return content(source[i], 0, j); }
static int reduced(int i, int j) {
  int sum = 0, k;
  for (k = 0; k < T; k++) sum += content(source[k], 0, j);
  return i == 0 ? sum : -1;
}
static int scattered_and_reduced(int i, int j) {
  int sum = 0, k;
  for (k = 0; k < T; k++) sum += content(source[k], k, j);
  return i == 0 ? sum : -1;
}

static void check(const char* what, const int recv[], Expected* expected) {
  int i, j;
  for (i = 0; i < T; i++) {
    for (j = 0; j < M; j++) {
      if (recv[i * M + j] != expected(i, j)) {
        fprintf(stderr, "rank %d, %s: block %d, element %d is %d\n", rank, what, i, j, recv[i * M + j]);
        failures++;
      }
    }
  }
}

int main(int argc, char** argv) {
  const int periods[2] = {1, 1};
  const int offsets[2 * T] = {0, 1, 0, -1, 1, 0, 1, 1, 0, 0};
  int dimensions[2] = {0, 0};
  int target[T], counts[T], places[T], send[T * M], recv[T * M];
  int p, i, j, length = 0, any = 0;
  MPI_Aint bytes[T];
  MPI_Datatype types[T];
  char text[64];
  MPI_Comm cart, iso;
  Rondo_Request request = RONDO_REQUEST_NULL;

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Dims_create(p, 2, dimensions);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &cart);
  failures += Rondo_Iso_neighborhood_create(cart, T, offsets, &iso) != MPI_SUCCESS;
  failures += iso != cart;
  MPI_Comm_rank(cart, &rank);
  failures += Rondo_Iso_neighborhood_get(iso, T, source, target) != MPI_SUCCESS;
  for (i = 0; i < T; i++) {
    counts[i] = M;
    places[i] = i * M;
    bytes[i] = (MPI_Aint)(i * M * (int)sizeof(int));
    types[i] = MPI_INT;
    for (j = 0; j < M; j++) send[i * M + j] = content(rank, i, j);
  }

/* The three forms of one function, and what they must give. */
#define THREE_FORMS(blocking, nonblocking, expected, ...)                                              \
  do {                                                                                                 \
    memset(recv, 0xff, sizeof recv);                                                                   \
    blocking(__VA_ARGS__);                                                                             \
    check(#blocking, recv, expected);                                                                  \
    memset(recv, 0xff, sizeof recv);                                                                   \
    nonblocking(__VA_ARGS__, &request);                                                                \
    Rondo_Wait(&request, MPI_STATUS_IGNORE);                                                           \
    check(#nonblocking, recv, expected);                                                               \
    memset(recv, 0xff, sizeof recv);                                                                   \
    blocking##_init(__VA_ARGS__, MPI_INFO_NULL, &request);                                             \
    Rondo_Start(&request);                                                                             \
    Rondo_Wait(&request, MPI_STATUS_IGNORE);                                                           \
    check(#blocking "_init", recv, expected);                                                          \
    failures += Rondo_Explain(request, (int)sizeof text, text, &length) != MPI_SUCCESS || length <= 0; \
    Rondo_Request_free(&request);                                                                      \
  } while (0)

  THREE_FORMS(Rondo_Iso_neighbor_alltoall, Rondo_Iiso_neighbor_alltoall, personalized, send, M, MPI_INT, recv, M,
              MPI_INT, iso);
  THREE_FORMS(Rondo_Iso_neighbor_alltoallv, Rondo_Iiso_neighbor_alltoallv, personalized, send, counts, places, MPI_INT,
              recv, counts, places, MPI_INT, iso);
  THREE_FORMS(Rondo_Iso_neighbor_alltoallw, Rondo_Iiso_neighbor_alltoallw, personalized, send, counts, bytes, types,
              recv, counts, bytes, types, iso);
  THREE_FORMS(Rondo_Iso_neighbor_allgather, Rondo_Iiso_neighbor_allgather, gathered, send, M, MPI_INT, recv, M, MPI_INT,
              iso);
  THREE_FORMS(Rondo_Iso_neighbor_allgatherv, Rondo_Iiso_neighbor_allgatherv, gathered, send, M, MPI_INT, recv, counts,
              places, MPI_INT, iso);
  THREE_FORMS(Rondo_Iso_neighbor_allgatherw, Rondo_Iiso_neighbor_allgatherw, gathered, send, M, MPI_INT, recv, counts,
              bytes, types, iso);
  THREE_FORMS(Rondo_Cart_allgather, Rondo_Icart_allgather, gathered, send, M, MPI_INT, recv, M, MPI_INT, iso);
  THREE_FORMS(Rondo_Cart_allgatherv, Rondo_Icart_allgatherv, gathered, send, M, MPI_INT, recv, counts, places, MPI_INT,
              iso);
  THREE_FORMS(Rondo_Cart_allgatherw, Rondo_Icart_allgatherw, gathered, send, M, MPI_INT, recv, counts, bytes, types,
              iso);
  THREE_FORMS(Rondo_Iso_neighbor_reduce, Rondo_Iiso_neighbor_reduce, reduced, send, recv, M, MPI_INT, MPI_SUM, iso);
  THREE_FORMS(Rondo_Cart_reduce, Rondo_Icart_reduce, reduced, send, recv, M, MPI_INT, MPI_SUM, iso);
  THREE_FORMS(Rondo_Iso_neighbor_scatter_reduce, Rondo_Iiso_neighbor_scatter_reduce, scattered_and_reduced, send,
              counts, bytes, types, recv, M, MPI_INT, MPI_SUM, iso);
  THREE_FORMS(Rondo_Cart_scatter_reduce, Rondo_Icart_scatter_reduce, scattered_and_reduced, send, counts, bytes, types,
              recv, M, MPI_INT, MPI_SUM, iso);

  MPI_Comm_free(&cart);
  MPI_Allreduce(&failures, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any != 0;
}
