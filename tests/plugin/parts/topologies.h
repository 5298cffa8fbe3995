/* Communicators with neighbors, of all kinds. */
#ifndef RONDO_TESTS_PLUGIN_TOPOLOGIES_H
#define RONDO_TESTS_PLUGIN_TOPOLOGIES_H

#include <mpi.h>

struct topology {
  const char* name;
  /* Made from MPI_COMM_WORLD; MPI_COMM_NULL on ranks that are not in it, or on all where there are too few. */
  MPI_Comm (*make)(const void* description);
  const void* description;
};

extern const struct topology cartesian_topologies[];
extern const int cartesian_topology_count;
extern const struct topology graph_topologies[];
extern const int graph_topology_count;

#endif
