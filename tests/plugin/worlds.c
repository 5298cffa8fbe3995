/* A communicator of processes from two MPI_COMM_WORLDs: those of the second one may have started with other settings,
 * or without the plug-in, so that nobody may take its calls. */
#include <mpi.h>
#include <stddef.h>

#include "parts/outcome.h"

enum { MOST = 16, ROUNDS = 4 };

/* Blocking and nonblocking in turn, all with all and round a ring. */
static void exchange(MPI_Comm all, MPI_Comm ring, int round) {
  int sent[MOST], received[MOST], rank = 0, size = 0, i = 0, left = 0, right = 0;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int to_neighbors[2], from_neighbors[2] = {-1, -1};
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Cart_shift(ring, 0, 1, &left, &right);
  for (i = 0; i < size; i++) sent[i] = (round * MOST + rank) * MOST + i;
  for (i = 0; i < size; i++) received[i] = -1;
  for (i = 0; i < 2; i++) to_neighbors[i] = (round * MOST + rank) * 2 + i;
  if (round % 2 == 0) {
    succeeds("MPI_Alltoall", MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, all));
    succeeds("MPI_Neighbor_alltoall",
             MPI_Neighbor_alltoall(to_neighbors, 1, MPI_INT, from_neighbors, 1, MPI_INT, ring));
  } else {
    succeeds("MPI_Ialltoall", MPI_Ialltoall(sent, 1, MPI_INT, received, 1, MPI_INT, all, &requests[0]));
    succeeds("MPI_Ineighbor_alltoall",
             MPI_Ineighbor_alltoall(to_neighbors, 1, MPI_INT, from_neighbors, 1, MPI_INT, ring, &requests[1]));
    succeeds("MPI_Waitall", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  }
  for (i = 0; i < size; i++) {
    if (received[i] != (round * MOST + i) * MOST + rank) wrong("round %d: %d from rank %d", round, received[i], i);
  }
  if (from_neighbors[0] != (round * MOST + left) * 2 + 1 || from_neighbors[1] != (round * MOST + right) * 2)
    wrong("round %d: %d and %d from the neighbors", round, from_neighbors[0], from_neighbors[1]);
}

int main(int argc, char** argv) {
  const int periodic = 1;
  MPI_Comm parent = MPI_COMM_NULL, between = MPI_COMM_NULL, all = MPI_COMM_NULL, ring = MPI_COMM_NULL;
  int round = 0, size = 0, size_of_world = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  between = parent;
  if (parent == MPI_COMM_NULL) {
    char command[] = "env", settings[] = "RONDO_PMPI=off";
    char* const arguments[] = {settings, argv[0], NULL};
    MPI_Comm_spawn(command, (char**)arguments, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  }
  MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
  MPI_Comm_size(all, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &size_of_world);
  if (size <= size_of_world) wrong("a communicator of %d processes, %d of them of this world", size, size_of_world);
  MPI_Cart_create(all, 1, &size, &periodic, 0, &ring);
  for (round = 0; round < ROUNDS; round++) exchange(all, ring, round);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  return finish();
}
