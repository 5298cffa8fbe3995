/* Requests of nonblocking collectives, by themselves and in arrays with others.
 * Usage: requests [all]     where all are Rondo's: also what MPICH does wrong */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "parts/exchange.h"
#include "parts/messages.h"
#include "parts/mixture.h"
#include "parts/outcome.h"
#include "parts/progress.h"
#include "parts/topologies.h"

static int rank = 0, size = 0, all_are_rondos = 0;
static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Comm line = MPI_COMM_NULL;

static const struct slot null_slot = {0, 0, EMPTY, 0, 0, 0};
static const struct slot inactive_slot = {0, 1, EMPTY, 0, 0, 0};
static const struct slot collective_slot = {1, 0, UNDEFINED, 0, 0, 0};

enum { EXCHANGES = 5 };

static const struct variant variants[EXCHANGES] = {{ALLTOALL, 3, PLAIN, PLAIN, 0, 0},
                                                   {ALLTOALLW, 2, STRIDED, SPACED, 0, 0},
                                                   {NEIGHBOR_ALLTOALL, 50, SHIFTED, PLAIN, 0, 0},
                                                   {ALLTOALLV, 3000, PLAIN, PLAIN, 0, 0},
                                                   {NEIGHBOR_ALLGATHERV, 4, PLAIN, STRIDED, 0, 0}};

static struct exchange* exchanges[EXCHANGES];

static void make_exchanges(void) {
  int i = 0;
  for (i = 0; i < EXCHANGES; i++)
    exchanges[i] = make_exchange(variants[i].operation < FIRST_NEIGHBOR_OPERATION ? comm : line, variants[i]);
}

static void free_exchanges(void) {
  int i = 0;
  for (i = 0; i < EXCHANGES; i++) free_exchange(exchanges[i]);
}

/* Their order in the array is another one on each rank, but all begin them in the same order. */
static void begin_exchanges(MPI_Request begun[], int round) {
  int i = 0;
  for (i = 0; i < EXCHANGES; i++) {
    fill(exchanges[i], round);
    succeeds("a nonblocking collective", exchange_begin(exchanges[i], &begun[i]));
  }
}

static void check_exchanges(const char* where) {
  int i = 0;
  for (i = 0; i < EXCHANGES; i++) check(exchanges[i], where);
}

/* A mixture in which requests come in several orders. */
static void complete_mixture(enum completion completion, int with_statuses, int round) {
  struct mixture mixture;
  struct message once, repeated, never;
  MPI_Request begun[EXCHANGES], receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL, again_receive = MPI_REQUEST_NULL,
                                again_send = MPI_REQUEST_NULL, idle = MPI_REQUEST_NULL;
  char where[64];
  int i = 0;
  snprintf(where, sizeof where, "mixture %d by %s", round, completion_names[completion]);
  clear(&mixture, where);
  set_message(&once, comm, 1, round);
  set_message(&repeated, comm, 2, round);
  set_message(&never, comm, 3, round);
  MPI_Recv_init(never.received, MESSAGE_COUNT, MPI_INT, never.left, never.tag, comm, &idle);
  MPI_Recv_init(repeated.received, MESSAGE_COUNT + 2, MPI_INT, repeated.left, repeated.tag, comm, &again_receive);
  MPI_Send_init(repeated.sent, MESSAGE_COUNT, MPI_INT, repeated.right, repeated.tag, comm, &again_send);
  MPI_Irecv(once.received, MESSAGE_COUNT + 2, MPI_INT, once.left, once.tag, comm, &receive);
  MPI_Start(&again_receive);
  begin_exchanges(begun, round);
  MPI_Isend(once.sent, MESSAGE_COUNT, MPI_INT, once.right, once.tag, comm, &send);
  MPI_Start(&again_send);
  for (i = 0; i < EXCHANGES; i++) {
    const int next = (i + rank + round) % EXCHANGES;
    if (i == 1) add(&mixture, MPI_REQUEST_NULL, null_slot);
    if (i == 2) add(&mixture, receive, receive_slot(&once, 0));
    if (i == 2) add_generalized(&mixture);
    if (i == 3) add(&mixture, again_send, send_slot(1));
    if (i == 3) add(&mixture, idle, inactive_slot);
    add(&mixture, begun[next], collective_slot);
    if (i == 0) add(&mixture, again_receive, receive_slot(&repeated, 1));
  }
  add(&mixture, send, send_slot(0));
  complete(&mixture, completion, with_statuses);
  check_exchanges(where);
  check_message(&once, round, where);
  check_message(&repeated, round, where);
  MPI_Request_free(&idle);
  MPI_Request_free(&again_receive);
  MPI_Request_free(&again_send);
}

static void complete_mixtures(void) {
  int completion = 0, round = 0;
  for (completion = 0; completion < COMPLETIONS; completion++) {
    for (round = 0; round < 4; round++) complete_mixture((enum completion)completion, round % 2, round);
  }
}

/* Nothing can arrive before rank 0 takes part, and that waits until the others have seen so. */
static void expect_incomplete(struct mixture* mixture) {
  MPI_Status statuses[MOST_REQUESTS];
  int indices[MOST_REQUESTS], done = 1, index = 0, found = 1, i = 0;
  const MPI_Request begun = mixture->requests[0];
  for (i = 0; i < 10; i++) {
    MPI_Test(&mixture->requests[0], &done, statuses);
    if (done) wrong("MPI_Test: true before all ranks take part");
    MPI_Testall(mixture->count, mixture->requests, &done, statuses);
    if (done) wrong("MPI_Testall: true before all ranks take part");
    MPI_Testany(mixture->count, mixture->requests, &index, &done, statuses);
    if (done || index != MPI_UNDEFINED) wrong("MPI_Testany: %d, %d before all ranks take part", done, index);
    MPI_Testsome(mixture->count, mixture->requests, &found, indices, statuses);
    if (found != 0) wrong("MPI_Testsome: %d before all ranks take part", found);
    MPI_Request_get_status(mixture->requests[0], &done, statuses);
    if (done) wrong("MPI_Request_get_status: true before all ranks take part");
    if (mixture->requests[0] != begun) wrong("a test changed a request that is in flight");
  }
}

/* While a collective is in flight, what has nothing to do with it is as ever. */
static void use_other_requests(void) {
  struct message message;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status;
  int cancelled = 0;
  set_message(&message, MPI_COMM_SELF, 5, 0);
  expect_nothing_active(0, NULL, "no requests");
  expect_nothing_active(1, requests, "a null request");
  MPI_Send_init(message.sent, MESSAGE_COUNT, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[1]);
  expect_nothing_active(3, requests, "null and inactive requests");
  MPI_Request_free(&requests[1]);
  MPI_Irecv(message.received, MESSAGE_COUNT, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &cancelled);
  if (!cancelled) wrong("a receive was not canceled");
  MPI_Irecv(message.received, MESSAGE_COUNT + 2, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(message.sent, MESSAGE_COUNT, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[1]);
  MPI_Request_free(&requests[1]);
  MPI_Wait(&requests[0], &status);
  if (status.MPI_TAG != 7 || status.MPI_SOURCE != 0)
    wrong("status of a receive: %d %d", status.MPI_TAG, status.MPI_SOURCE);
  check_message(&message, 0, "a message to the rank itself");
}

static void wait_for_latecomer(void) {
  struct exchange* exchange = exchanges[0];
  struct mixture mixture;
  MPI_Request begun = MPI_REQUEST_NULL;
  int word = 0, i = 0;
  if (size == 1) return;
  fill(exchange, 1);
  for (i = 1; rank == 0 && i < size; i++) MPI_Recv(&word, 1, MPI_INT, i, 4, comm, MPI_STATUS_IGNORE);
  succeeds("MPI_Ialltoall", exchange_begin(exchange, &begun));
  clear(&mixture, "with a latecomer");
  add(&mixture, begun, collective_slot);
  add(&mixture, MPI_REQUEST_NULL, null_slot);
  if (rank != 0) {
    expect_incomplete(&mixture);
    use_other_requests();
    MPI_Send(&word, 1, MPI_INT, 0, 4, comm);
  }
  complete(&mixture, BY_WAITANY, 1);
  check(exchange, "with a latecomer");
}

/* Each rank waits for them in an order of its own. */
static void complete_in_other_orders(void) {
  MPI_Request begun[EXCHANGES];
  int round = 0, i = 0;
  for (round = 0; round < 8; round++) {
    begin_exchanges(begun, round);
    for (i = 0; i < EXCHANGES; i++) {
      const int next = round % 2 == 0 ? (i + rank) % EXCHANGES : (EXCHANGES - 1 - i + rank) % EXCHANGES;
      succeeds("MPI_Wait", MPI_Wait(&begun[next], MPI_STATUS_IGNORE));
      check(exchanges[next], "in another order on each rank");
    }
  }
}

/* More of one operation in flight than any table's first size. */
static void begin_many(void) {
  enum { MANY = 100 };
  int sent[MANY][MOST_BLOCKS], received[MANY][MOST_BLOCKS], i = 0, k = 0;
  MPI_Request requests[MANY];
  for (i = 0; i < MANY; i++) {
    for (k = 0; k < size; k++) sent[i][k] = (i * size + rank) * size + k;
    for (k = 0; k < size; k++) received[i][k] = -1;
    MPI_Ialltoall(sent[i], 1, MPI_INT, received[i], 1, MPI_INT, comm, &requests[i]);
  }
  succeeds("MPI_Waitall", MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
  for (i = 0; i < MANY; i++) {
    for (k = 0; k < size; k++) {
      if (received[i][k] != (i * size + k) * size + rank)
        wrong("many in flight: number %d from rank %d is %d", i, k, received[i][k]);
    }
  }
}

/* The error of one message is told in its status, and the collective beside it completes. Not by MPI_Waitall: after
 * MPI_Init_thread with MPI_THREAD_MULTIPLE, Open MPI's hangs on such an error. */
static void fail_beside(void) {
  struct exchange* exchange = exchanges[1];
  struct message message;
  MPI_Request requests[3];
  int truncated = 0, completed = 0, found = 0, i = 0;
  if (size == 1) return; /* of a message to itself, Open MPI does not tell */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  set_message(&message, comm, 8, 0);
  fill(exchange, 2);
  MPI_Irecv(message.received, MESSAGE_COUNT / 2, MPI_INT, message.left, message.tag, comm, &requests[1]);
  succeeds("MPI_Ialltoallw", exchange_begin(exchange, &requests[0]));
  MPI_Isend(message.sent, MESSAGE_COUNT, MPI_INT, message.right, message.tag, comm, &requests[2]);
  while (completed < 3 && found != MPI_UNDEFINED) {
    MPI_Status statuses[3];
    int indices[3], error = MPI_SUCCESS;
    const int code = MPI_Testsome(3, requests, &found, indices, statuses);
    if (code != MPI_ERR_IN_STATUS) succeeds("MPI_Testsome", code);
    for (i = 0; i < found; i++, completed++) {
      if (code == MPI_ERR_IN_STATUS) MPI_Error_class(statuses[i].MPI_ERROR, &error);
      if (error == MPI_ERR_TRUNCATE && indices[i] == 1) truncated++;
      if (error != MPI_SUCCESS && indices[i] != 1)
        wrong("request %d beside the failed one has error class %d", indices[i], error);
      error = MPI_SUCCESS;
    }
    sched_yield();
  }
  if (truncated != 1) wrong("MPI_Testsome told %d times of a message that was too long", truncated);
  check(exchange, "beside a message that was too long");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void check_progress_on(MPI_Comm where, enum operation operation, const char* what) {
  enum { MEBIBYTE = 1 << 17 };
  static const int pairs[] = {1, 30, 1000, MEBIBYTE};
  int i = 0;
  for (i = 0; i < 4; i++) {
    struct variant variant = {operation, pairs[i], PLAIN, PLAIN, 0, 0};
    struct exchange* exchange = make_exchange(where, variant);
    MPI_Request request = MPI_REQUEST_NULL;
    check_progress(exchange, &request, what);
    if (all_are_rondos) {
      succeeds("a persistent collective", exchange_init(exchange, &request));
      check_progress(exchange, &request, what);
      succeeds("MPI_Request_free", MPI_Request_free(&request));
    }
    free_exchange(exchange);
  }
}

static void check_progress_of_all(void) {
  check_progress_on(comm, ALLTOALL, "progress");
  check_progress_on(line, NEIGHBOR_ALLTOALL, "progress of neighbors");
  if (all_are_rondos) {
    MPI_Comm nine_points = graph_topologies[0].make(graph_topologies[0].description);
    check_progress_on(nine_points, NEIGHBOR_ALLTOALL, "progress of a stencil");
    MPI_Comm_free(&nine_points);
  }
}

int main(int argc, char** argv) {
  const int periodic = 0;
  all_are_rondos = argc > 1 && strcmp(argv[1], "all") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
  expect_nothing_active(0, NULL, "no requests");
  make_exchanges();
  complete_mixtures();
  wait_for_latecomer();
  complete_in_other_orders();
  begin_many();
  fail_beside();
  check_progress_of_all();
  free_exchanges();
  MPI_Comm_free(&line);
  MPI_Comm_free(&comm);
  return finish();
}
