/* Communicators with a topology: making one makes no other one beside it, unless MPI's own nonblocking collectives
 * would be wrong on it. Open MPI numbers communicators for Fortran one after the other, which shows those that are made
 * in between. */
#include <mpi.h>
#include <stdlib.h>

#include "parts/outcome.h"

typedef void (*Make)(int rank, int ranks, MPI_Comm* comm);

static void make_line(int rank, int ranks, MPI_Comm* comm) {
  const int not_periodic = 0;
  (void)rank;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &not_periodic, 0, comm);
}

static void make_graph(int rank, int ranks, MPI_Comm* comm) {
  const int from = (rank + 1) % ranks, to = (rank + ranks - 1) % ranks, weight = 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &weight, 1, &to, &weight, MPI_INFO_NULL, 0, comm);
}

/* How many communicators are made from the beginning of one to the end of `count`, all of which stay. */
static int numbers_of(Make make, int rank, int ranks, int count, MPI_Comm* comms) {
  int i;
  for (i = 0; i < count; ++i) make(rank, ranks, &comms[i]);
  return (int)(MPI_Comm_c2f(comms[count - 1]) - MPI_Comm_c2f(comms[0])) + 1;
}

static void exchanges(int rank, int ranks, MPI_Comm graph) {
  const int from = (rank + 1) % ranks;
  int received = -1;
  succeeds("MPI_Neighbor_alltoall", MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &received, 1, MPI_INT, graph));
  if (received != from) wrong("%d arrives from rank %d", received, from);
  received = -1;
  succeeds("MPI_Neighbor_allgather", MPI_Neighbor_allgather(&rank, 1, MPI_INT, &received, 1, MPI_INT, graph));
  if (received != from) wrong("%d is gathered from rank %d", received, from);
}

int main(int argc, char** argv) {
  enum { COUNT = 10 };
  static const Make makes[] = {make_line, make_graph};
  int rank = 0, ranks = 0, kind, i;
  MPI_Comm comms[2][COUNT];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (kind = 0; kind < 2; ++kind) {
    const int numbers = numbers_of(makes[kind], rank, ranks, COUNT, comms[kind]);
    if (numbers != COUNT) wrong("%d communicators of kind %d take %d numbers", COUNT, kind, numbers);
  }
  for (i = 0; i < COUNT; ++i) exchanges(rank, ranks, comms[1][i]);
  for (kind = 0; kind < 2; ++kind) {
    for (i = 0; i < COUNT; ++i) MPI_Comm_free(&comms[kind][i]);
  }
  return finish();
}
