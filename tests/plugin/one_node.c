/* An application all ranks of which are on one node. Which of its calls the plug-in takes stands in CMakeLists.txt.
 * Usage: one_node [threads]     with MPI_THREAD_MULTIPLE */
#include <mpi.h>

#include "parts/exchange.h"
#include "parts/outcome.h"

/* Blocks of 800 bytes; v and w: of some bytes less or more. */
static void exchange_often(MPI_Comm comm, enum operation operation, int nonblocking, int times) {
  const struct variant variant = {operation, 100, PLAIN, PLAIN, 0, 0};
  int i = 0;
  for (i = 0; i < times; i++) exchange_once(comm, variant, nonblocking, i % 8, operation_names[operation]);
}

/* Of one call each, and of many. */
static void exchange_on_duplicates(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  int i = 0;
  for (i = 0; i < 3; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    exchange_often(comm, ALLTOALL, 0, 1);
    exchange_often(comm, ALLTOALL, 1, 1);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  exchange_often(comm, ALLTOALL, 0, 20);
  exchange_often(comm, ALLTOALL, 1, 2);
  MPI_Comm_free(&comm);
}

/* No two neighbors are the same process. */
static void exchange_on_a_line(int ranks) {
  const int not_periodic = 0;
  MPI_Comm line = MPI_COMM_NULL;
  int operation = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &not_periodic, 0, &line);
  for (operation = FIRST_NEIGHBOR_OPERATION; operation < OPERATIONS; operation++) {
    exchange_often(line, (enum operation)operation, 0, 3);
    exchange_often(line, (enum operation)operation, 1, 3);
  }
  MPI_Comm_free(&line);
}

int main(int argc, char** argv) {
  int ranks = 0, provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  exchange_often(MPI_COMM_WORLD, ALLTOALL, 0, 20);
  exchange_often(MPI_COMM_WORLD, ALLTOALL, 1, 20);
  exchange_often(MPI_COMM_WORLD, ALLTOALLV, 0, 3);
  exchange_on_duplicates();
  exchange_on_a_line(ranks);
  return finish();
}
