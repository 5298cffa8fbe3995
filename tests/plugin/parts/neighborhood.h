/* Who sends which block to whom, as the MPI standard defines it for each kind of communicator. */
#ifndef RONDO_TESTS_PLUGIN_NEIGHBORHOOD_H
#define RONDO_TESTS_PLUGIN_NEIGHBORHOOD_H

#include <mpi.h>

enum { MOST_BLOCKS = 64 };

struct neighborhood {
  int me; /* ranks are named by their rank in MPI_COMM_WORLD */
  int targets, sources;
  int source[MOST_BLOCKS];       /* who sends each arriving block, or MPI_PROC_NULL */
  int source_block[MOST_BLOCKS]; /* and which of its blocks that is */
};

/* All to all, also between the groups of an intercommunicator. */
struct neighborhood all_of(MPI_Comm comm);

/* The topology's neighbors. Collective. */
struct neighborhood neighbors_of(MPI_Comm comm);

#endif
