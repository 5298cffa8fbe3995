/* Calls that MPIs take though the standard does not have them: buffers that are sent from the place where they would
 * lie with MPI_IN_PLACE, on all ranks or on one alone, and MPI_DATATYPE_NULL where there are no elements. Usage:
 * tolerated */
#include <mpi.h>

#include "parts/outcome.h"
#include "parts/persistent.h"

enum { COUNT = 300, MOST_RANKS = 16, FORMS = 3 };

static int rank = 0, size = 0;
static MPI_Comm comm = MPI_COMM_NULL;
static int counts[MOST_RANKS], places[MOST_RANKS];
static int apart[COUNT * MOST_RANKS], buffer[COUNT * MOST_RANKS];

static void complete(int form, int code, MPI_Request request) {
  succeeds("the call", code);
  if (form == 2) succeeds("MPI_Start", MPI_Start(&request));
  if (form > 0) succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (form == 2) succeeds("MPI_Request_free", MPI_Request_free(&request));
}

static void gather(int form, int is_in_place, int irregular) {
  MPI_Request request = MPI_REQUEST_NULL;
  int* own = is_in_place ? buffer + rank * COUNT : apart;
  const MPI_Datatype type = MPI_INT;
  int i = 0, code = 0;
  for (i = 0; i < COUNT * size; i++) buffer[i] = -1;
  for (i = 0; i < COUNT; i++) own[i] = rank * 1000 + i;
  if (irregular) {
    code = form == 0   ? MPI_Allgatherv(own, COUNT, type, buffer, counts, places, type, comm)
           : form == 1 ? MPI_Iallgatherv(own, COUNT, type, buffer, counts, places, type, comm, &request)
                       : PERSISTENT(Allgatherv_init)(own, COUNT, type, buffer, counts, places, type, comm,
                                                     MPI_INFO_NULL, &request);
  } else {
    code = form == 0 ? MPI_Allgather(own, COUNT, type, buffer, COUNT, type, comm)
           : form == 1
               ? MPI_Iallgather(own, COUNT, type, buffer, COUNT, type, comm, &request)
               : PERSISTENT(Allgather_init)(own, COUNT, type, buffer, COUNT, type, comm, MPI_INFO_NULL, &request);
  }
  complete(form, code, request);
  for (i = 0; i < COUNT * size; i++) {
    if (buffer[i] != i / COUNT * 1000 + i % COUNT) wrong("form %d, allgather: element %d is %d", form, i, buffer[i]);
  }
}

enum reduction { ALLREDUCE, REDUCE_SCATTER_BLOCK, REDUCE_SCATTER, REDUCTIONS };

static int reduce(int form, int reduction, const int* from, MPI_Request* request) {
  const MPI_Datatype type = MPI_INT;
  const MPI_Op op = MPI_SUM;
  const MPI_Info none = MPI_INFO_NULL;
  int* to = buffer;
  switch (reduction * FORMS + form) {
    case 0:
      return MPI_Allreduce(from, to, COUNT, type, op, comm);
    case 1:
      return MPI_Iallreduce(from, to, COUNT, type, op, comm, request);
    case 2:
      return PERSISTENT(Allreduce_init)(from, to, COUNT, type, op, comm, none, request);
    case 3:
      return MPI_Reduce_scatter_block(from, to, COUNT, type, op, comm);
    case 4:
      return MPI_Ireduce_scatter_block(from, to, COUNT, type, op, comm, request);
    case 5:
      return PERSISTENT(Reduce_scatter_block_init)(from, to, COUNT, type, op, comm, none, request);
    case 6:
      return MPI_Reduce_scatter(from, to, counts, type, op, comm);
    case 7:
      return MPI_Ireduce_scatter(from, to, counts, type, op, comm, request);
    default:
      return PERSISTENT(Reduce_scatter_init)(from, to, counts, type, op, comm, none, request);
  }
}

static void reduce_onto_itself(int form, int is_in_place, int reduction) {
  MPI_Request request = MPI_REQUEST_NULL;
  int* own = is_in_place ? buffer : apart;
  const int first = reduction == ALLREDUCE ? 0 : rank * COUNT;
  int i = 0, code = 0;
  for (i = 0; i < COUNT * size; i++) own[i] = rank + i;
  code = reduce(form, reduction, own, &request);
  complete(form, code, request);
  for (i = 0; i < COUNT; i++) {
    if (buffer[i] != size * (size - 1) / 2 + size * (first + i))
      wrong("form %d, reduction %d: element %d is %d", form, reduction, i, buffer[i]);
  }
}

/* All ranks send themselves one element, and nothing to the others. */
static void exchange_without_types(int form) {
  const MPI_Info none = MPI_INFO_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype types[MOST_RANKS];
  int ones[MOST_RANKS], zeros[MOST_RANKS], i = 0, sent = 5, received = -1, code = 0;
  for (i = 0; i < size; i++) {
    ones[i] = i == rank;
    zeros[i] = 0;
    types[i] = i == rank ? MPI_INT : MPI_DATATYPE_NULL;
  }
  code = form == 0   ? MPI_Alltoallw(&sent, ones, zeros, types, &received, ones, zeros, types, comm)
         : form == 1 ? MPI_Ialltoallw(&sent, ones, zeros, types, &received, ones, zeros, types, comm, &request)
                     : PERSISTENT(Alltoallw_init)(&sent, ones, zeros, types, &received, ones, zeros, types, comm, none,
                                                  &request);
  complete(form, code, request);
  if (received != 5) wrong("form %d, alltoallw: received %d", form, received);
}

static void move_nothing_of_no_type(void) {
  const MPI_Datatype null = MPI_DATATYPE_NULL;
  int nothing[MOST_RANKS] = {0};
  succeeds("MPI_Bcast", MPI_Bcast(nothing, 0, null, 0, comm));
  succeeds("MPI_Allgather", MPI_Allgather(apart, 0, null, buffer, 0, null, comm));
  succeeds("MPI_Allgatherv", MPI_Allgatherv(apart, 0, null, buffer, nothing, nothing, null, comm));
  succeeds("MPI_Alltoall", MPI_Alltoall(apart, 0, null, buffer, 0, null, comm));
  succeeds("MPI_Alltoall", MPI_Alltoall(apart, 0, rank == 0 ? null : MPI_INT, buffer, 0, MPI_INT, comm));
  succeeds("MPI_Alltoallv", MPI_Alltoallv(apart, nothing, nothing, null, buffer, nothing, nothing, null, comm));
}

int main(int argc, char** argv) {
  int form = 0, alone = 0, time = 0, i = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (i = 0; i < size; i++) {
    counts[i] = COUNT;
    places[i] = i * COUNT;
  }
  for (form = 0; form < FORMS; form++) {
    for (alone = 0; alone < 2; alone++) {
      /* A persistent call is in place on all ranks or on none. */
      const int is_in_place = alone == 0 || (rank == 0 && form < 2);
      for (time = 0; time < 3; time++) {
        gather(form, is_in_place, 0);
        gather(form, is_in_place, 1);
        for (i = 0; i < REDUCTIONS; i++) reduce_onto_itself(form, is_in_place, i);
      }
    }
    exchange_without_types(form);
  }
  move_nothing_of_no_type();
  MPI_Comm_free(&comm);
  return finish();
}
