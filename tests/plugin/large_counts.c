/* Collectives with large counts on some ranks and with ints on the others: one collective, whoever does it.
 * Usage: large_counts */
#include <mpi.h>

#include "parts/outcome.h"

enum { COUNT = 100, MOST_RANKS = 8, FORMS = 3, ROOT = 0 };

static int rank = 0, size = 0, is_large = 0;
static int counts[MOST_RANKS], places[MOST_RANKS], bytes[MOST_RANKS];
static MPI_Count large_counts[MOST_RANKS];
static MPI_Aint large_places[MOST_RANKS], large_bytes[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];
static int send[MOST_RANKS * COUNT], recv[MOST_RANKS * COUNT];

static void complete(const char* call, int form, int code, MPI_Request request) {
  succeeds(call, code);
  if (form == 2) succeeds("MPI_Start", MPI_Start(&request));
  if (form > 0) succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (form == 2) succeeds("MPI_Request_free", MPI_Request_free(&request));
}

#define ARGUMENTS(...) __VA_ARGS__
/* Makes a call in one of its three forms, as this rank is to make it. */
#define CALL(name, iname, ints, large)                                                               \
  do {                                                                                               \
    MPI_Request request = MPI_REQUEST_NULL;                                                          \
    int code = MPI_SUCCESS;                                                                          \
    if (form == 0) code = is_large ? MPI_##name##_c(large) : MPI_##name(ints);                       \
    if (form == 1) code = is_large ? MPI_##iname##_c(large, &request) : MPI_##iname(ints, &request); \
    if (form == 2) {                                                                                 \
      code = is_large ? MPI_##name##_init_c(large, MPI_INFO_NULL, &request)                          \
                      : MPI_##name##_init(ints, MPI_INFO_NULL, &request);                            \
    }                                                                                                \
    complete(#name, form, code, request);                                                            \
  } while (0)

static void fill(void) {
  int i = 0;
  for (i = 0; i < size * COUNT; i++) {
    send[i] = rank * 10000 + i;
    recv[i] = -1;
  }
}

/* Block `block` is what rank `from` has from element `first` on. */
static void check(const char* call, int block, int from, int first) {
  int i = 0;
  for (i = 0; i < COUNT; i++) {
    if (recv[block * COUNT + i] != from * 10000 + first + i)
      wrong("%s: element %d is %d", call, i, recv[block * COUNT + i]);
  }
}

static void check_all(const char* call, int gathers) {
  int i = 0;
  for (i = 0; i < size; i++) check(call, i, i, gathers ? 0 : rank * COUNT);
}

static void check_sum(const char* call, int first) {
  int i = 0;
  for (i = 0; i < COUNT; i++) {
    if (recv[i] != size * (first + i) + 10000 * (size * (size - 1) / 2)) wrong("%s: sum %d is %d", call, i, recv[i]);
  }
}

static void call_dense(MPI_Comm comm, int form) {
  int i = 0;
  fill();
  CALL(Alltoall, Ialltoall, ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, comm),
       ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, comm));
  check_all("alltoall", 0);
  fill();
  CALL(Alltoallv, Ialltoallv, ARGUMENTS(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, comm),
       ARGUMENTS(send, large_counts, large_places, MPI_INT, recv, large_counts, large_places, MPI_INT, comm));
  check_all("alltoallv", 0);
  fill();
  CALL(Alltoallw, Ialltoallw, ARGUMENTS(send, counts, bytes, types, recv, counts, bytes, types, comm),
       ARGUMENTS(send, large_counts, large_bytes, types, recv, large_counts, large_bytes, types, comm));
  check_all("alltoallw", 0);
  fill();
  CALL(Allgather, Iallgather, ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, comm),
       ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, comm));
  check_all("allgather", 1);
  fill();
  CALL(Allgatherv, Iallgatherv, ARGUMENTS(send, COUNT, MPI_INT, recv, counts, places, MPI_INT, comm),
       ARGUMENTS(send, COUNT, MPI_INT, recv, large_counts, large_places, MPI_INT, comm));
  check_all("allgatherv", 1);
  fill();
  for (i = 0; i < COUNT && rank == ROOT; i++) recv[i] = send[i];
  CALL(Bcast, Ibcast, ARGUMENTS(recv, COUNT, MPI_INT, ROOT, comm), ARGUMENTS(recv, COUNT, MPI_INT, ROOT, comm));
  check("bcast", 0, ROOT, 0);
  fill();
  CALL(Allreduce, Iallreduce, ARGUMENTS(send, recv, COUNT, MPI_INT, MPI_SUM, comm),
       ARGUMENTS(send, recv, COUNT, MPI_INT, MPI_SUM, comm));
  check_sum("allreduce", 0);
  fill();
  CALL(Reduce_scatter_block, Ireduce_scatter_block, ARGUMENTS(send, recv, COUNT, MPI_INT, MPI_SUM, comm),
       ARGUMENTS(send, recv, COUNT, MPI_INT, MPI_SUM, comm));
  check_sum("reduce_scatter_block", rank * COUNT);
  fill();
  CALL(Reduce_scatter, Ireduce_scatter, ARGUMENTS(send, recv, counts, MPI_INT, MPI_SUM, comm),
       ARGUMENTS(send, recv, large_counts, MPI_INT, MPI_SUM, comm));
  check_sum("reduce_scatter", rank * COUNT);
}

/* A ring: block 0 from the left and to it, block 1 from the right and to it. */
static void call_neighbors(MPI_Comm ring, int form) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  fill();
  CALL(Neighbor_alltoall, Ineighbor_alltoall, ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, ring),
       ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, ring));
  check("neighbor_alltoall", 0, left, COUNT);
  check("neighbor_alltoall", 1, right, 0);
  fill();
  CALL(Neighbor_alltoallv, Ineighbor_alltoallv,
       ARGUMENTS(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, ring),
       ARGUMENTS(send, large_counts, large_places, MPI_INT, recv, large_counts, large_places, MPI_INT, ring));
  check("neighbor_alltoallv", 0, left, COUNT);
  check("neighbor_alltoallv", 1, right, 0);
  fill();
  CALL(Neighbor_alltoallw, Ineighbor_alltoallw,
       ARGUMENTS(send, counts, large_bytes, types, recv, counts, large_bytes, types, ring),
       ARGUMENTS(send, large_counts, large_bytes, types, recv, large_counts, large_bytes, types, ring));
  check("neighbor_alltoallw", 0, left, COUNT);
  check("neighbor_alltoallw", 1, right, 0);
  fill();
  CALL(Neighbor_allgather, Ineighbor_allgather, ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, ring),
       ARGUMENTS(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, ring));
  check("neighbor_allgather", 0, left, 0);
  check("neighbor_allgather", 1, right, 0);
  fill();
  CALL(Neighbor_allgatherv, Ineighbor_allgatherv, ARGUMENTS(send, COUNT, MPI_INT, recv, counts, places, MPI_INT, ring),
       ARGUMENTS(send, COUNT, MPI_INT, recv, large_counts, large_places, MPI_INT, ring));
  check("neighbor_allgatherv", 0, left, 0);
  check("neighbor_allgatherv", 1, right, 0);
}

int main(int argc, char** argv) {
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  int i = 0, form = 0, turn = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (i = 0; i < MOST_RANKS; i++) {
    large_counts[i] = counts[i] = COUNT;
    large_places[i] = places[i] = i * COUNT;
    large_bytes[i] = bytes[i] = i * COUNT * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  for (turn = 0; turn < 3; turn++) {
    is_large = turn == 2 || rank % 2 == turn;
    for (form = 0; form < FORMS; form++) {
      call_dense(MPI_COMM_WORLD, form);
      call_neighbors(ring, form);
    }
  }
  MPI_Comm_free(&ring);
  return finish();
}
