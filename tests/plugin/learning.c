/* Blocking collectives that learn, with Rondo's algorithms and MPI's own function in turn: right data at every call.
 * Usage: learning, with RONDO_LEARN, under the plug-in */
#include <mpi.h>
#include <stdio.h>

#include "parts/outcome.h"

enum { CALLS = 1200, LONGEST = 4096, MOST_RANKS = 8 };

static int rank = 0, size = 0;
static MPI_Comm comm;
static int sent[MOST_RANKS * LONGEST], received[MOST_RANKS * LONGEST];

static int value(int from, int to, int call, int i) { return from * 1000000 + to * 10000 + call * 7 + i; }

static void expect(const char* what, int call, int got, int right) {
  if (got != right) wrong("%s, call %d: has %d in place of %d", what, call, got, right);
}

static void broadcast(int call, int count) {
  const int root = count > 2 ? call % size : 0;
  int i = 0;
  for (i = 0; i < count; i++) sent[i] = rank == root ? value(root, 0, call, i) : -1;
  succeeds("MPI_Bcast", MPI_Bcast(sent, count, MPI_INT, root, comm));
  for (i = 0; i < count; i++) expect("MPI_Bcast", call, sent[i], value(root, 0, call, i));
}

static void allreduce(int call, int count) {
  int i = 0;
  for (i = 0; i < count; i++) {
    sent[i] = value(rank, 0, call, i);
    received[i] = -1;
  }
  succeeds("MPI_Allreduce", MPI_Allreduce(sent, received, count, MPI_INT, MPI_SUM, comm));
  for (i = 0; i < count; i++)
    expect("MPI_Allreduce", call, received[i], size * (size - 1) / 2 * 1000000 + size * value(0, 0, call, i));
}

static void alltoall(int call, int count) {
  int other = 0, i = 0;
  for (other = 0; other < size; other++) {
    for (i = 0; i < count; i++) {
      sent[other * count + i] = value(rank, other, call, i);
      received[other * count + i] = -1;
    }
  }
  succeeds("MPI_Alltoall", MPI_Alltoall(sent, count, MPI_INT, received, count, MPI_INT, comm));
  for (other = 0; other < size; other++) {
    for (i = 0; i < count; i++) expect("MPI_Alltoall", call, received[other * count + i], value(other, rank, call, i));
  }
}

static void allgather(int call, int count) {
  int other = 0, i = 0;
  for (i = 0; i < count; i++) sent[i] = value(rank, 0, call, i);
  for (i = 0; i < size * count; i++) received[i] = -1;
  succeeds("MPI_Allgather", MPI_Allgather(sent, count, MPI_INT, received, count, MPI_INT, comm));
  for (other = 0; other < size; other++) {
    for (i = 0; i < count; i++) expect("MPI_Allgather", call, received[other * count + i], value(other, 0, call, i));
  }
}

static void call_all(void) {
  static const int counts[] = {2, 300};
  int size_of_blocks = 0, call = 0;
  for (size_of_blocks = 0; size_of_blocks < 2; size_of_blocks++) {
    const int count = counts[size_of_blocks];
    for (call = 0; call < CALLS; call++) broadcast(call, count);
    for (call = 0; call < CALLS; call++) allreduce(call, count);
    for (call = 0; call < CALLS; call++) alltoall(call, count);
    for (call = 0; call < CALLS; call++) allgather(call, count);
    for (call = 0; call < CALLS; call++) succeeds("MPI_Barrier", MPI_Barrier(comm));
  }
}

int main(int argc, char** argv) {
  int time = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comm = MPI_COMM_WORLD;
  call_all();
  for (time = 0; time < 2; time++) { /* the second one may have the first one's handle, and knows nothing yet */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    call_all();
    MPI_Comm_free(&comm);
  }
  return finish();
}
