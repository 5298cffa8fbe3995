/* Neighborhood collectives, blocking and nonblocking, on communicators of all kinds and their duplicates.
 * Usage: neighbors cartesian|graphs blocking|nonblocking */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "parts/exchange.h"
#include "parts/outcome.h"
#include "parts/topologies.h"

static void exchange_all(MPI_Comm comm, int nonblocking, const char* where) {
  const struct variant variants[] = {{0, 3, PLAIN, PLAIN, 0, 0},
                                     {0, 2, STRIDED, SHIFTED, 0, 0},
                                     {0, 2, PLAIN, SPACED, 0, 1},
                                     {0, 0, PLAIN, PLAIN, 0, 0}};
  const int count = sizeof variants / sizeof *variants;
  int operation = 0, i = 0, round = 0;
  for (operation = FIRST_NEIGHBOR_OPERATION; operation < OPERATIONS; operation++) {
    for (i = 0; i < count; i++) {
      struct variant variant = variants[i];
      variant.operation = (enum operation)operation;
      exchange_once(comm, variant, nonblocking, round++ % 8, where);
    }
  }
}

/* Calls of one kind that differ in their counts and displacements. Blocks without elements are now these, now those;
 * some ranks describe what they send by a datatype of their own; before the last call come several that are alike. */
static void change_sizes(MPI_Comm comm, int nonblocking, const char* where) {
  const int pairs[] = {1,  5, 6, 2, 400, 7, 3, 5000, 1, 8, 0, 9, 70, 30000, 4,
                       11, 5, 5, 5, 5,   5, 5, 5,    5, 5, 5, 5, 5,  5,     4};
  const int count = sizeof pairs / sizeof *pairs;
  int operation = 0, i = 0, rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (operation = FIRST_NEIGHBOR_OPERATION; operation < OPERATIONS; operation++) {
    for (i = 0; i < count; i++) {
      const enum layout layout = (rank + i) % 5 == 0 ? STRIDED : PLAIN;
      const struct variant variant = {(enum operation)operation, pairs[i], layout, PLAIN, 0, 0};
      exchange_once(comm, variant, nonblocking, i % 8, where);
    }
  }
}

int main(int argc, char** argv) {
  const int graphs = argc > 1 && strcmp(argv[1], "graphs") == 0;
  const int nonblocking = argc > 2 && strcmp(argv[2], "nonblocking") == 0;
  const int count = graphs ? graph_topology_count : cartesian_topology_count;
  int i = 0;
  MPI_Init(&argc, &argv);
  for (i = 0; i < count; i++) {
    const struct topology* topology = graphs ? &graph_topologies[i] : &cartesian_topologies[i];
    MPI_Comm comm = topology->make(topology->description), copy = MPI_COMM_NULL;
    char where[128];
    if (comm == MPI_COMM_NULL) continue;
    exchange_all(comm, nonblocking, topology->name);
    change_sizes(comm, nonblocking, topology->name);
    MPI_Comm_dup(comm, &copy);
    snprintf(where, sizeof where, "a copy of %s", topology->name);
    exchange_all(copy, nonblocking, where);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
  }
  return finish();
}
