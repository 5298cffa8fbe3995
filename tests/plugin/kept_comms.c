/* Communicators that the application never frees, with calls of derived datatypes on them: MPI_Finalize must find
 * nothing of Rondo's that is left. MPICH says on standard error if something is. */
#include <mpi.h>
#include <stdlib.h>

#include "parts/outcome.h"

enum { COUNT = 100, CALLS = 40 };

static void exchanges(MPI_Datatype type, int ranks, int neighbors, MPI_Comm comm) {
  const size_t elements = (size_t)(neighbors == 0 ? ranks : neighbors) * COUNT * 3;
  int* const send = calloc(elements, sizeof(int));
  int* const recv = calloc(elements, sizeof(int));
  int call;
  for (call = 0; call < CALLS; ++call) {
    if (neighbors == 0)
      succeeds("MPI_Alltoall", MPI_Alltoall(send, 1, type, recv, 1, type, comm));
    else
      succeeds("MPI_Neighbor_alltoall", MPI_Neighbor_alltoall(send, 1, type, recv, 1, type, comm));
  }
  free(recv);
  free(send);
}

int main(int argc, char** argv) {
  const int periodic = 1;
  int ranks = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm copy = MPI_COMM_NULL, ring = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_vector(COUNT, 1, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  exchanges(type, ranks, 0, MPI_COMM_WORLD);
  exchanges(type, ranks, 0, copy);
  exchanges(type, ranks, 2, ring);
  MPI_Type_free(&type);
  return finish();
}
