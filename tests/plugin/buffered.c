/* Buffered sends between collectives. The attached buffer has room for the messages of one round. The collective that
 * ends the round comes after all of them were received, so the next round must find the whole buffer free again. Usage:
 * buffered [threads], with `threads` by several threads at once */
#include <mpi.h>
#include <pthread.h>

#include "parts/outcome.h"
#include "parts/persistent.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 60, ROUNDS = 12, BLOCK = 512, MOST_RANKS = 16, LONGEST = 40000, MOST_SENDERS = 4 };

/* How rank 0 sends: the last two by MPI_Bsend_init. */
enum form { BSEND, IBSEND, STARTED, ALL_STARTED, FORMS };
/* What ends a round. */
enum end { BARRIER, ALLREDUCE, ALLTOALL, IALLTOALL, ALLTOALL_INIT, ENDS };

static int rank = 0, senders = 1, bytes_sent = 0;
static char message[LONGEST];
static MPI_Request requests[MESSAGES];
static int from[BLOCK * MOST_RANKS], to[BLOCK * MOST_RANKS];

/* Sends the messages number first, first + senders, first + 2 * senders, ... */
static void* send_some(void* first) {
  int i = 0;
  for (i = *(const int*)first; i < MESSAGES; i += senders) {
    succeeds("MPI_Bsend", MPI_Bsend(message, bytes_sent, MPI_BYTE, 1, i, MPI_COMM_WORLD));
  }
  return NULL;
}

static void send_by_threads(int bytes) {
  static const int firsts[MOST_SENDERS] = {0, 1, 2, 3};
  pthread_t threads[MOST_SENDERS];
  int k = 0;
  bytes_sent = bytes;
  if (senders == 1) {
    send_some((void*)firsts);
    return;
  }
  for (k = 0; k < senders; k++) pthread_create(threads + k, NULL, send_some, (void*)(firsts + k));
  for (k = 0; k < senders; k++) pthread_join(threads[k], NULL);
}

static void send_all(int form, int bytes) {
  const MPI_Comm world = MPI_COMM_WORLD;
  int i = 0;
  if (form == BSEND) {
    send_by_threads(bytes);
    return;
  }
  if (form == ALL_STARTED) {
    succeeds("MPI_Startall", MPI_Startall(MESSAGES, requests));
    succeeds("MPI_Waitall", MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    return;
  }
  for (i = 0; i < MESSAGES; i++) {
    succeeds("the start", form == IBSEND ? MPI_Ibsend(message, bytes, MPI_BYTE, 1, i, world, requests + i)
                                         : MPI_Start(requests + i));
    succeeds("MPI_Wait", MPI_Wait(requests + i, MPI_STATUS_IGNORE));
  }
}

static void receive_all(int form, int bytes) {
  /* Open MPI 4.1 alone delivers other data if a request of MPI_Bsend_init has a long message. */
  const int is_wrong_in_mpi = form >= STARTED && bytes == LONGEST;
  int i = 0;
  for (i = 0; i < MESSAGES; i++) {
    memset(message, 0, LONGEST);
    succeeds("MPI_Recv", MPI_Recv(message, bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (is_wrong_in_mpi) continue;
    if (message[0] != 7 || message[bytes - 1] != 7) wrong("message %d of %d bytes has other data", i, bytes);
  }
}

static void end_round(int end, MPI_Request* persistent) {
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (end) {
    case BARRIER:
      succeeds("MPI_Barrier", MPI_Barrier(world));
      break;
    case ALLREDUCE:
      succeeds("MPI_Allreduce", MPI_Allreduce(from, to, BLOCK, MPI_INT, MPI_SUM, world));
      break;
    case ALLTOALL:
      succeeds("MPI_Alltoall", MPI_Alltoall(from, BLOCK, MPI_INT, to, BLOCK, MPI_INT, world));
      break;
    case IALLTOALL:
      succeeds("MPI_Ialltoall", MPI_Ialltoall(from, BLOCK, MPI_INT, to, BLOCK, MPI_INT, world, &request));
      succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
      break;
    default:
      succeeds("MPI_Start", MPI_Start(persistent));
      succeeds("MPI_Wait", MPI_Wait(persistent, MPI_STATUS_IGNORE));
  }
}

static void exchange(int form, int end, int bytes) {
  const int room = MESSAGES * (bytes + MPI_BSEND_OVERHEAD);
  void* buffer = malloc((size_t)room);
  MPI_Request persistent = MPI_REQUEST_NULL;
  int round = 0, unused = 0, i = 0;
  succeeds("MPI_Buffer_attach", MPI_Buffer_attach(buffer, room));
  if (end == ALLTOALL_INIT) {
    succeeds("MPI_Alltoall_init", PERSISTENT(Alltoall_init)(from, BLOCK, MPI_INT, to, BLOCK, MPI_INT, MPI_COMM_WORLD,
                                                            MPI_INFO_NULL, &persistent));
  }
  for (i = 0; i < MESSAGES && form >= STARTED && rank == 0; i++) {
    succeeds("MPI_Bsend_init", MPI_Bsend_init(message, bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, requests + i));
  }
  for (round = 0; round < ROUNDS; round++) {
    if (rank == 0) send_all(form, bytes);
    if (rank == 1) receive_all(form, bytes);
    end_round(end, &persistent);
  }
  for (i = 0; i < MESSAGES && form >= STARTED && rank == 0; i++) {
    succeeds("MPI_Request_free", MPI_Request_free(requests + i));
  }
  if (end == ALLTOALL_INIT) succeeds("MPI_Request_free", MPI_Request_free(&persistent));
  succeeds("MPI_Buffer_detach", MPI_Buffer_detach((void*)&buffer, &unused));
  free(buffer);
}

int main(int argc, char** argv) {
  static const int lengths[] = {100, 4000, LONGEST};
#if defined(OPEN_MPI)
  const int last = 3;
#else
  const int last = 2; /* MPICH says that a long message was received only when the receiver calls MPI again */
#endif
  int form = 0, forms = FORMS, end = 0, length = 0, level = 0;
  if (argc > 1 && strcmp(argv[1], "threads") == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    senders = level == MPI_THREAD_MULTIPLE ? MOST_SENDERS : 1;
    forms = BSEND + 1;
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(message, 7, LONGEST);
  for (form = 0; form < forms; form++) {
    for (end = 0; end < ENDS; end++) {
      for (length = 0; length < last; length++) exchange(form, end, lengths[length]);
    }
  }
  return finish();
}
