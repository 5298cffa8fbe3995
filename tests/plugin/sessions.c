/* A program of sessions, without MPI_Init: all of its collectives are MPI's.
 * Usage: sessions */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 256, TIMES = 20 };

static int failures = 0;

static void check(const char* call, int code) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s: code %d\n", call, code);
  failures++;
}

int main(void) {
  MPI_Session session;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  void* memory = NULL;
  int rank = 0, size = 0, time = 0, i = 0, j = 0;
  int *sent = NULL, *received = NULL;
  check("MPI_Session_init", MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  check("MPI_Group_from_session_pset", MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  check("MPI_Comm_create_from_group",
        MPI_Comm_create_from_group(group, "rondo", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  sent = malloc(sizeof(int) * COUNT * (size_t)size);
  received = malloc(sizeof(int) * COUNT * (size_t)size);
  check("MPI_Comm_dup", MPI_Comm_dup(comm, &copy));
  check("MPI_Alloc_mem", MPI_Alloc_mem(100, MPI_INFO_NULL, &memory));
  check("MPI_Free_mem", MPI_Free_mem(memory));
  for (time = 0; time < TIMES; time++) {
    for (i = 0; i < COUNT * size; i++) sent[i] = rank + i;
    check("MPI_Alltoall", MPI_Alltoall(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, copy));
    for (j = 0; j < size; j++) {
      for (i = 0; i < COUNT; i++) failures += received[j * COUNT + i] != j + rank * COUNT + i;
    }
    check("MPI_Allreduce", MPI_Allreduce(sent, received, COUNT, MPI_INT, MPI_SUM, copy));
    for (i = 0; i < COUNT; i++) failures += received[i] != size * i + size * (size - 1) / 2;
  }
  check("MPI_Barrier", MPI_Barrier(comm));
  check("MPI_Ialltoall", MPI_Ialltoall(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, comm, &request));
  check("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  check("MPI_Alltoall_init",
        MPI_Alltoall_init(sent, COUNT, MPI_INT, received, COUNT, MPI_INT, comm, MPI_INFO_NULL, &request));
  check("MPI_Start", MPI_Start(&request));
  check("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  check("MPI_Request_free", MPI_Request_free(&request));
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  free(sent);
  free(received);
  if (rank == 0 && failures == 0) printf("no errors\n");
  return failures != 0;
}
