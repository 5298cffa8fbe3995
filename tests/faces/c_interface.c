/* The C interface from C99: all nine alltoall calls on a torus, against the definition, and the datatype constructors.
 * Returns 0 when all is right. */
#include <mpi.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T = 4, M = 3 };

static int failures = 0;

static void check(const char* what, int rank, const int source[], const int recv[]) {
  int i, j;
  for (i = 0; i < T; i++) {
    for (j = 0; j < M; j++) {
      if (recv[i * M + j] != source[i] * 100 + i * 10 + j) {
        fprintf(stderr, "rank %d, %s: block %d, element %d is %d\n", rank, what, i, j, recv[i * M + j]);
        failures++;
      }
    }
  }
}

/* The first n integers that a datatype takes of 0, 1, 2, ...; frees it. */
static void check_type(const char* what, int error, MPI_Datatype type, int n, const int expected[]) {
  int numbers[16], found[16], i, size = 0, position = 0;
  if (error != MPI_SUCCESS) {
    fprintf(stderr, "%s: error %d\n", what, error);
    failures++;
    return;
  }
  for (i = 0; i < 16; i++) numbers[i] = i;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &size);
  MPI_Pack(numbers, 1, type, found, (int)sizeof found, &position, MPI_COMM_SELF);
  if (size != n * (int)sizeof(int) || memcmp(found, expected, (size_t)size) != 0) {
    fprintf(stderr, "%s: takes other elements\n", what);
    failures++;
  }
  MPI_Type_free(&type);
}

/* The examples of rondo.h. */
static void check_types(void) {
  const int counts[3] = {2, 0, 3};
  const int bounded[5] = {0, 1, 4, 5, 8};
  const int circular[5] = {7, 8, 1, 2, 5};
  const int bucket[5] = {0, 1, 6, 7, 8};
  const int triangular[6] = {0, 1, 2, 5, 6, 10};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int error = Rondo_Type_create_vector_bounded(9, 2, 4, MPI_INT, &type);
  check_type("vector_bounded", error, type, 5, bounded);
  error = Rondo_Type_create_vector_circular(10, 7, 9, 2, 4, MPI_INT, &type);
  check_type("vector_circular", error, type, 5, circular);
  error = Rondo_Type_create_bucket(3, 3, counts, MPI_INT, &type);
  check_type("bucket", error, type, 5, bucket);
  error = Rondo_Type_create_triangular(3, 3, -1, 4, 1, MPI_INT, &type);
  check_type("triangular", error, type, 6, triangular);
}

static void check_list(const char* what, int error, int t, const int list[], int expected_t, const int expected[]) {
  if (error == MPI_SUCCESS && t == expected_t && memcmp(list, expected, (size_t)(2 * t) * sizeof(int)) == 0) return;
  fprintf(stderr, "%s: error %d, %d vectors\n", what, error, t);
  failures++;
}

/* Lists of offsets by shape. */
static void check_shapes(void) {
  const int star[8] = {-1, 0, 0, -1, 0, 1, 1, 0};
  const int corners[8] = {-1, -1, -1, 1, 1, -1, 1, 1};
  const int square[8] = {0, 0, 0, 1, 1, 0, 1, 1};
  int list[16], weight[8], t = 0, i, sum = 0, error;
  error = Rondo_Neighborhood_von_neumann(2, 1, 8, list, &t);
  check_list("von_neumann", error, t, list, 4, star);
  error = Rondo_Neighborhood_box(2, 2, 0, 8, list, &t);
  check_list("box", error, t, list, 4, square);
  failures += Rondo_Neighborhood_moore(2, 1, 0, NULL, &t) != MPI_SUCCESS || t != 8;
  list[4] = -7;
  failures += Rondo_Neighborhood_moore(2, 1, 2, list, &t) != MPI_SUCCESS || t != 8 || list[4] != -7;
  Rondo_Neighborhood_moore(2, 1, 8, list, &t);
  for (i = 0; i < 8; i++) weight[i] = 10 * list[2 * i] + list[2 * i + 1];
  error = Rondo_Neighborhood_subtract(2, &t, list, weight, 4, star);
  check_list("subtract", error, t, list, 4, corners);
  failures += weight[0] != -11 || weight[3] != 11;
  error = Rondo_Neighborhood_shuffle(2, t, list, weight, 5);
  for (i = 0; i < 4; i++) {
    failures += weight[i] != 10 * list[2 * i] + list[2 * i + 1];
    sum += weight[i] * weight[i];
  }
  failures += error != MPI_SUCCESS || sum != 2 * 11 * 11 + 2 * 9 * 9;
  failures += Rondo_Neighborhood_shuffle(2, t, list, NULL, 5) != MPI_SUCCESS;
}

static void check_memory(void) {
  double* field = NULL;
  if (Rondo_Alloc(1000 * (MPI_Aint)sizeof(double), &field) != MPI_SUCCESS || field == NULL) {
    fprintf(stderr, "Rondo_Alloc: nothing is allocated\n");
    failures++;
    return;
  }
  field[999] = 1;
  if (Rondo_Free(field) != MPI_SUCCESS) {
    fprintf(stderr, "Rondo_Free: fails\n");
    failures++;
  }
}

int main(int argc, char** argv) {
  const int periods[2] = {1, 1};
  const int offsets[2 * T] = {0, 1, 0, -1, 1, 0, 1, 1};
  int dimensions[2] = {0, 0};
  int p, rank, t, i, j, length, any = 0;
  int source[T], target[T], counts[T], places[T];
  MPI_Aint bytes[T];
  MPI_Datatype types[T];
  int send[T * M], recv[T * M];
  char text[RONDO_MAX_ERROR_STRING];
  MPI_Comm torus;
  Rondo_Request request = RONDO_REQUEST_NULL;

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Dims_create(p, 2, dimensions);
  Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 2, dimensions, periods, T, offsets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &torus);
  MPI_Comm_rank(torus, &rank);
  Rondo_Cart_neighbor_count(torus, &t);
  failures += t != T;
  Rondo_Cart_neighbor_get(torus, T, source, MPI_UNWEIGHTED, T, target, MPI_UNWEIGHTED);
  for (i = 0; i < T; i++) {
    counts[i] = M;
    places[i] = i * M;
    bytes[i] = (MPI_Aint)(i * M * (int)sizeof(int));
    types[i] = MPI_INT;
    for (j = 0; j < M; j++) send[i * M + j] = rank * 100 + i * 10 + j;
  }

#define CHECKED(what, calls)         \
  do {                               \
    memset(recv, 0xff, sizeof recv); \
    calls;                           \
    check(what, rank, source, recv); \
  } while (0)

  CHECKED("alltoall", Rondo_Cart_alltoall(send, M, MPI_INT, recv, M, MPI_INT, torus));
  CHECKED("alltoallv", Rondo_Cart_alltoallv(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, torus));
  CHECKED("alltoallw", Rondo_Cart_alltoallw(send, counts, bytes, types, recv, counts, bytes, types, torus));
  CHECKED("Ialltoall", {
    Rondo_Icart_alltoall(send, M, MPI_INT, recv, M, MPI_INT, torus, &request);
    Rondo_Waitall(1, &request, MPI_STATUSES_IGNORE); /* without a warning of the compiler's, here and below */
  });
  CHECKED("Ialltoallv", {
    int complete = 0;
    Rondo_Icart_alltoallv(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, torus, &request);
    while (!complete) Rondo_Testall(1, &request, &complete, MPI_STATUSES_IGNORE);
  });
  CHECKED("Ialltoallw", {
    Rondo_Icart_alltoallw(send, counts, bytes, types, recv, counts, bytes, types, torus, &request);
    Rondo_Wait(&request, MPI_STATUS_IGNORE);
  });
  CHECKED("alltoall_init", {
    Rondo_Cart_alltoall_init(send, M, MPI_INT, recv, M, MPI_INT, torus, MPI_INFO_NULL, &request);
    Rondo_Start(&request);
    Rondo_Wait(&request, MPI_STATUS_IGNORE);
    Rondo_Request_free(&request);
  });
  CHECKED("alltoallv_init", {
    Rondo_Cart_alltoallv_init(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, torus, MPI_INFO_NULL,
                              &request);
    Rondo_Start(&request);
    Rondo_Wait(&request, MPI_STATUS_IGNORE);
    Rondo_Request_free(&request);
  });
  CHECKED("alltoallw_init", {
    Rondo_Cart_alltoallw_init(send, counts, bytes, types, recv, counts, bytes, types, torus, MPI_INFO_NULL, &request);
    Rondo_Start(&request);
    Rondo_Wait(&request, MPI_STATUS_IGNORE);
    Rondo_Request_free(&request);
  });

  check_types();
  check_memory();
  check_shapes();

  MPI_Comm_set_errhandler(torus, MPI_ERRORS_RETURN);
  failures += Rondo_Cart_alltoall(send, -1, MPI_INT, recv, M, MPI_INT, torus) != MPI_ERR_COUNT;
  failures += Rondo_Error_string(MPI_ERR_COUNT, text, &length) != MPI_SUCCESS || strstr(text, "sendcount") == NULL;
  MPI_Comm_free(&torus);
  MPI_Allreduce(&failures, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any != 0;
}
