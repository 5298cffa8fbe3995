#include "progress.h"

#include "outcome.h"

static void begin(struct exchange* exchange, MPI_Request* request, int persistent, const char* where) {
  succeeds(where, persistent ? MPI_Start(request) : exchange_begin(exchange, request));
}

static void meet_at_barrier(MPI_Request* request, int rank, const char* where) {
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  succeeds(where, MPI_Wait(request, MPI_STATUS_IGNORE));
  if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
}

static void receive_from_others(MPI_Request* request, int rank, int size, const char* where) {
  const int tag = 99;
  int word = rank, i = 0;
  for (i = 1; rank == 0 && i < size; i++) MPI_Recv(&word, 1, MPI_INT, i, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  succeeds(where, MPI_Wait(request, MPI_STATUS_IGNORE));
  if (rank != 0) MPI_Send(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

void check_progress(struct exchange* exchange, MPI_Request* request, const char* where) {
  const int persistent = *request != MPI_REQUEST_NULL;
  int rank = 0, size = 0, round = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (round = 0; round < 4; round++) {
    fill(exchange, round);
    begin(exchange, request, persistent, where);
    if (round % 2 == 0)
      meet_at_barrier(request, rank, where);
    else
      receive_from_others(request, rank, size, where);
    check(exchange, where);
  }
}
