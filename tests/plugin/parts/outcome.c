#include "outcome.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

enum { MOST_PRINTED = 10 };

static atomic_int errors = 0; /* two threads may count */

void wrong(const char* format, ...) {
  char text[512];
  int rank = 0;
  va_list arguments;
  if (atomic_fetch_add(&errors, 1) >= MOST_PRINTED) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d: %s\n", rank, text);
}

void succeeds(const char* call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  wrong("%s: %s", call, text);
}

int finish(void) {
  int mine = atomic_load(&errors), all = 0, rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("no errors\n");
  if (rank == 0 && all != 0) fprintf(stderr, "%d errors\n", all);
  MPI_Finalize();
  return all != 0;
}
