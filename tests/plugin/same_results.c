/* A reduction of doubles, made again and again on one communicator, has the same result to the last bit each time,
 * whether the communicator is ready for Rondo from its first call on or becomes so later. Usage: same_results */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "parts/outcome.h"
#include "parts/persistent.h"

enum { COUNT = 100, MOST_RANKS = 16, TIMES = 40, FUNCTIONS = 9 };

static const char* const names[FUNCTIONS] = {"allreduce",      "reduce_scatter_block",      "reduce_scatter",
                                             "iallreduce",     "ireduce_scatter_block",     "ireduce_scatter",
                                             "allreduce_init", "reduce_scatter_block_init", "reduce_scatter_init"};

static int counts[MOST_RANKS];
static double send[COUNT * MOST_RANKS], recv[COUNT * MOST_RANKS], first[FUNCTIONS][COUNT * MOST_RANKS];

static void complete(MPI_Request request, int is_persistent) {
  if (is_persistent) succeeds("MPI_Start", MPI_Start(&request));
  succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (is_persistent) succeeds("MPI_Request_free", MPI_Request_free(&request));
}

static void reduce(MPI_Comm comm, int function) {
  const MPI_Datatype type = MPI_DOUBLE;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  switch (function) {
    case 0:
      code = MPI_Allreduce(send, recv, COUNT, type, MPI_SUM, comm);
      break;
    case 1:
      code = MPI_Reduce_scatter_block(send, recv, COUNT, type, MPI_SUM, comm);
      break;
    case 2:
      code = MPI_Reduce_scatter(send, recv, counts, type, MPI_SUM, comm);
      break;
    case 3:
      code = MPI_Iallreduce(send, recv, COUNT, type, MPI_SUM, comm, &request);
      break;
    case 4:
      code = MPI_Ireduce_scatter_block(send, recv, COUNT, type, MPI_SUM, comm, &request);
      break;
    case 5:
      code = MPI_Ireduce_scatter(send, recv, counts, type, MPI_SUM, comm, &request);
      break;
    case 6:
      code = PERSISTENT(Allreduce_init)(send, recv, COUNT, type, MPI_SUM, comm, MPI_INFO_NULL, &request);
      break;
    case 7:
      code = PERSISTENT(Reduce_scatter_block_init)(send, recv, COUNT, type, MPI_SUM, comm, MPI_INFO_NULL, &request);
      break;
    default:
      code = PERSISTENT(Reduce_scatter_init)(send, recv, counts, type, MPI_SUM, comm, MPI_INFO_NULL, &request);
      break;
  }
  succeeds(names[function], code);
  if (request != MPI_REQUEST_NULL) complete(request, function >= 6);
}

/* Exact: may change from MPI's to Rondo's. */
static void sum_ints(MPI_Comm comm, int times) {
  int ints[COUNT], sums[COUNT], i = 0, size = 0;
  MPI_Comm_size(comm, &size);
  for (i = 0; i < COUNT; i++) ints[i] = i;
  for (; times > 0; times--) {
    succeeds("MPI_Allreduce", MPI_Allreduce(ints, sums, COUNT, MPI_INT, MPI_SUM, comm));
    for (i = 0; i < COUNT; i++) {
      if (sums[i] != size * i) wrong("a sum of ints is %d", sums[i]);
    }
  }
}

static void repeat_reductions(MPI_Comm comm, int first_function, int last_function) {
  int time = 0, function = 0;
  for (time = 0; time < TIMES; time++) {
    for (function = first_function; function < last_function; function++) {
      memset(recv, 0, sizeof recv);
      reduce(comm, function);
      if (time == 0) memcpy(first[function], recv, sizeof recv);
      if (memcmp(first[function], recv, sizeof recv) != 0)
        wrong("%s has another result in call %d", names[function], time);
    }
    if (time > 2) sum_ints(comm, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, i = 0, exact = 0, last = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  srand((unsigned)rank + 1);
  for (i = 0; i < COUNT * MOST_RANKS; i++) send[i] = rand() / 3.0e7 - rand() / 7.0e6;
  for (i = 0; i < MOST_RANKS; i++) counts[i] = COUNT;
  repeat_reductions(MPI_COMM_WORLD, 0, FUNCTIONS);
  for (exact = 0; exact <= 20; exact += 20) {      /* before the first sum of doubles */
    for (last = 3; last <= FUNCTIONS; last += 3) { /* blocking ones, with nonblocking ones, with persistent ones */
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      sum_ints(comm, exact);
      repeat_reductions(comm, last - 3, last);
      repeat_reductions(comm, 0, last);
      MPI_Comm_free(&comm);
    }
  }
  return finish();
}
