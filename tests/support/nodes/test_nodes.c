/* With RONDO_TEST_NODES=n ranks are those of n nodes in turn, in any program that has this in it: set before its main,
 * by the rank that the launcher says, as Rondo reads it once. */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_node(void) {
  const char* nodes = getenv("RONDO_TEST_NODES");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  char name[32];
  if (rank == NULL) rank = getenv("PMI_RANK"); /* MPICH's launcher */
  if (nodes == NULL || rank == NULL || atoi(nodes) <= 0) return;
  snprintf(name, sizeof name, "node%d", atoi(rank) % atoi(nodes));
  setenv("RONDO_NODE", name, 1);
}
