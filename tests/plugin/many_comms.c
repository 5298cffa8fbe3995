/* Duplicates MPI_COMM_WORLD as often as the first argument says, or as often as MPI can if that is less, and calls
 * MPI_Allreduce on each duplicate. Fails if fewer duplicates can be made than the second argument says, or if a call
 * fails or has a wrong result: that Rondo has no private communicator for a duplicate is no error of the application.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts/outcome.h"

enum { CALLS = 3 };

int main(int argc, char** argv) {
  int rank = 0, ranks = 0, made = 0, i, call;
  const int wanted = argc > 1 ? atoi(argv[1]) : 100;
  const int least = argc > 2 ? atoi(argv[2]) : wanted;
  MPI_Comm* comms = malloc((size_t)wanted * sizeof *comms);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (made < wanted && MPI_Comm_dup(MPI_COMM_WORLD, &comms[made]) == MPI_SUCCESS) {
    MPI_Comm_set_errhandler(comms[made], MPI_ERRORS_ARE_FATAL);
    ++made;
  }
  if (made < least) wrong("%d communicators can be made, not %d", made, least);
  for (i = 0; i < made; ++i) {
    for (call = 0; call < CALLS; ++call) {
      const int sent = rank + i;
      int sum = 0;
      succeeds("MPI_Allreduce", MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, comms[i]));
      if (sum != ranks * (ranks - 1) / 2 + ranks * i) wrong("communicator %d, call %d: the sum is %d", i, call, sum);
    }
  }
  for (i = 0; i < made; ++i) MPI_Comm_free(&comms[i]);
  free(comms);
  return finish();
}
