/* A tool between the plug-in and MPI sees MPI_Init, and each call that is left to MPI once; Rondo's own calls it does
 * not see.
 * Usage: tool_behind off|all, as RONDO_PMPI says */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "parts/outcome.h"
#include "tool.h"

enum { TIMES = 20, COUNT = 200, MOST_RANKS = 16 };

static int rank = 0, size = 0;
static int send[COUNT * MOST_RANKS], recv[COUNT * MOST_RANKS];

static void check_blocks(const char* call) {
  int i = 0, j = 0;
  for (j = 0; j < size; j++) {
    for (i = 0; i < COUNT; i++) {
      if (recv[j * COUNT + i] != j * 1000 + rank * COUNT + i) wrong("%s: element %d of block %d", call, i, j);
    }
  }
  memset(recv, 0, sizeof recv);
}

static void expect(const char* what, int seen, int expected) {
  if (seen != expected) wrong("the tool has seen %d calls of %s, not %d", seen, what, expected);
}

int main(int argc, char** argv) {
  struct seen_calls (*ask)(void) = NULL;
  void* const found = dlsym(RTLD_DEFAULT, "calls_seen_by_tool");
  const int left_to_mpi = argc > 1 && strcmp(argv[1], "off") == 0;
  struct seen_calls seen = {0, 0, 0, 0, 0, 0};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int time = 0, i = 0, sum = 0;
  MPI_Init(&argc, &argv);
  memcpy(&ask, &found, sizeof ask);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (i = 0; i < COUNT * size; i++) send[i] = rank * 1000 + i;
  for (time = 0; time < TIMES; time++) {
    succeeds("MPI_Alltoall", MPI_Alltoall(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, comm));
    check_blocks("MPI_Alltoall");
    succeeds("MPI_Ialltoall", MPI_Ialltoall(send, COUNT, MPI_INT, recv, COUNT, MPI_INT, comm, &request));
    succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_blocks("MPI_Ialltoall");
    succeeds("MPI_Allreduce", MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    if (sum != size * (size - 1) / 2) wrong("MPI_Allreduce: %d", sum);
  }
  seen = ask();
  expect("MPI_Init", seen.init, 1);
  expect("MPI_Comm_dup", seen.comm_dup, 1);
  expect("MPI_Alltoall", seen.alltoall, left_to_mpi ? TIMES : 0);
  expect("MPI_Ialltoall", seen.ialltoall, left_to_mpi ? TIMES : 0);
  expect("MPI_Allreduce", seen.allreduce, left_to_mpi ? TIMES : 0);
  expect("MPI_Wait", seen.wait, TIMES); /* in the end each request is MPI's */
  MPI_Comm_free(&comm);
  return finish();
}
