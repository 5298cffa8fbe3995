/* Failures of collectives that Rondo took: whoever completes their requests is told, once, and nobody else.
 * Rank 1 sends rank 0 more than rank 0 takes; all else is right. Persistent calls find that when they are made, unless
 * the user vouches for sizes: RONDO_ASSERT_UNIFORM=true. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts/exchange.h"
#include "parts/mixture.h"
#include "parts/outcome.h"
#include "parts/persistent.h"

enum { ROOM = 3, SENT = 2, UNTOUCHED = -5, UNSET = 1 << 20, REQUESTS = 5, GOOD = 1, BAD = 3 };

static int rank = 0, size = 0, vouched = 0;
static MPI_Comm comm = MPI_COMM_NULL;

/* A mismatched alltoallv: blocks of SENT ints with a gap after each, but one that is longer. */
struct mismatch {
  int sent[MOST_BLOCKS * ROOM], received[MOST_BLOCKS * ROOM];
  int sent_counts[MOST_BLOCKS], received_counts[MOST_BLOCKS], places[MOST_BLOCKS];
};

static void fill_mismatch(struct mismatch* mismatch) {
  int i = 0, k = 0;
  for (i = 0; i < size; i++) {
    mismatch->sent_counts[i] = rank == 1 && i == 0 ? SENT + 1 : SENT;
    mismatch->received_counts[i] = SENT;
    mismatch->places[i] = i * ROOM;
    for (k = 0; k < ROOM; k++) mismatch->sent[i * ROOM + k] = (rank * size + i) * ROOM + k;
    for (k = 0; k < ROOM; k++) mismatch->received[i * ROOM + k] = UNTOUCHED;
  }
}

static void check_mismatch(const struct mismatch* mismatch, const char* where) {
  int i = 0, k = 0;
  for (i = 0; i < size; i++) {
    const int* block = mismatch->received + i * ROOM;
    if (block[SENT] != UNTOUCHED) wrong("%s: the gap after block %d is %d", where, i, block[SENT]);
    for (k = 0; k < SENT && !(rank == 0 && i == 1); k++) {
      if (block[k] != (i * size + rank) * ROOM + k) wrong("%s: block %d has %d", where, i, block[k]);
    }
  }
}

static MPI_Request begin_mismatch(struct mismatch* m) {
  MPI_Request request = MPI_REQUEST_NULL;
  fill_mismatch(m);
  succeeds("MPI_Ialltoallv", MPI_Ialltoallv(m->sent, m->sent_counts, m->places, MPI_INT, m->received,
                                            m->received_counts, m->places, MPI_INT, comm, &request));
  return request;
}

static MPI_Request init_mismatch(struct mismatch* m) {
  MPI_Request request = MPI_REQUEST_NULL;
  fill_mismatch(m);
  succeeds("a persistent alltoallv",
           PERSISTENT(Alltoallv_init)(m->sent, m->sent_counts, m->places, MPI_INT, m->received, m->received_counts,
                                      m->places, MPI_INT, comm, MPI_INFO_NULL, &request));
  return request;
}

/* What came of the requests of an array: an error class each, or UNSET. */
struct told {
  int classes[REQUESTS];
};

static int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

static void tell(struct told* told, int i, int code, const char* where) {
  if (i < 0 || i >= REQUESTS) {
    wrong("%s: index %d", where, i);
  } else {
    if (told->classes[i] != UNSET) wrong("%s: request %d was completed twice", where, i);
    told->classes[i] = class_of(code);
  }
}

/* Of a call that completed several, with their statuses where it had any. */
static void tell_several(struct told* told, int code, int ended, const int* indices, const MPI_Status* statuses,
                         const char* where) {
  int i = 0, failed = 0;
  if (code != MPI_SUCCESS && class_of(code) != MPI_ERR_IN_STATUS) wrong("%s: error class %d", where, class_of(code));
  for (i = 0; i < ended; i++) {
    const int error = code == MPI_SUCCESS || statuses == NULL ? MPI_SUCCESS : statuses[i].MPI_ERROR;
    if (error == UNSET) wrong("%s: status %d has no error", where, i);
    failed += error != MPI_SUCCESS;
    tell(told, indices == NULL ? i : indices[i], error, where);
  }
  if (code != MPI_SUCCESS && statuses != NULL && failed == 0) wrong("%s: an error and no status that has it", where);
  if (code != MPI_SUCCESS && statuses == NULL) told->classes[BAD] = MPI_ERR_TRUNCATE;
}

static void clear_statuses(MPI_Status statuses[]) {
  int i = 0;
  for (i = 0; i < REQUESTS; i++) statuses[i].MPI_ERROR = UNSET;
}

static void tell_one(struct told* told, int i, int code, const MPI_Status* status, const char* where) {
  if (code != MPI_SUCCESS && i == BAD && class_of(status->MPI_ERROR) != class_of(code))
    wrong("%s: the call returns class %d, its status has %d", where, class_of(code), status->MPI_ERROR);
  tell(told, i, code, where);
}

/* Completes all by one of MPI's ways. */
static void complete_by(enum completion completion, MPI_Request requests[], int with_statuses, struct told* told,
                        const char* where) {
  MPI_Status statuses[REQUESTS], status;
  MPI_Status* const several = with_statuses ? statuses : MPI_STATUSES_IGNORE;
  const MPI_Status* const looked_at = with_statuses ? statuses : NULL;
  int indices[REQUESTS], i = 0, done = 0, index = 0, code = MPI_SUCCESS;
  for (i = 0; i < REQUESTS; i++) told->classes[i] = UNSET;
  clear_statuses(statuses);
  switch (completion) {
    case BY_WAITALL:
      code = MPI_Waitall(REQUESTS, requests, several);
      tell_several(told, code, REQUESTS, NULL, looked_at, where);
      break;
    case BY_TESTALL:
      while (code == MPI_SUCCESS && !done) {
        code = MPI_Testall(REQUESTS, requests, &done, several);
        sched_yield();
      }
      if (!done) wrong("%s: an error and not done", where);
      tell_several(told, code, REQUESTS, NULL, looked_at, where);
      break;
    case BY_WAITANY:
      for (;;) {
        code = MPI_Waitany(REQUESTS, requests, &index, &status);
        if (index == MPI_UNDEFINED) break;
        tell_one(told, index, code, &status, where);
      }
      break;
    case BY_TESTANY:
      for (;;) {
        code = MPI_Testany(REQUESTS, requests, &index, &done, &status);
        if (done && index == MPI_UNDEFINED) break;
        if (done) tell_one(told, index, code, &status, where);
        sched_yield();
      }
      break;
    case BY_WAITSOME:
    case BY_TESTSOME:
      for (;;) {
        clear_statuses(statuses);
        code = completion == BY_WAITSOME ? MPI_Waitsome(REQUESTS, requests, &done, indices, several)
                                         : MPI_Testsome(REQUESTS, requests, &done, indices, several);
        if (done == MPI_UNDEFINED) break;
        tell_several(told, code, done, indices, looked_at, where);
        sched_yield();
      }
      break;
    default:
      for (i = 0; i < REQUESTS; i++) {
        done = completion == BY_WAIT;
        while (completion == BY_GET_STATUS && !done) {
          /* which completes nothing and tells nobody */
          succeeds("MPI_Request_get_status", MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE));
        }
        if (completion == BY_TEST) {
          while (!done) code = MPI_Test(&requests[i], &done, &status);
        } else {
          code = MPI_Wait(&requests[i], &status);
        }
        tell_one(told, i, code, &status, where);
      }
      break;
  }
}

static void expect_told(const struct told* told, int with_statuses, const char* where) {
  int i = 0;
  for (i = 0; i < REQUESTS; i++) {
    const int expected = i == BAD && rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    const int found = told->classes[i] == UNSET ? MPI_SUCCESS : told->classes[i]; /* null and inactive ones */
    if (i == BAD && told->classes[i] == UNSET) wrong("%s: nobody was told of the failed request", where);
    if (found != expected && (with_statuses || i == BAD))
      wrong("%s: request %d has error class %d, not %d", where, i, found, expected);
  }
}

/* In an array with a collective that is right, a message to itself and a null request. */
static void fail_in_array(enum completion completion, int persistent, int with_statuses, struct exchange* good) {
  static struct mismatch mismatch; /* as long as a persistent request */
  MPI_Request requests[REQUESTS], repeated = MPI_REQUEST_NULL;
  struct told told;
  char where[96];
  int from = 7, to = 0, round = 0;
  snprintf(where, sizeof where, "%s%s, %s", completion_names[completion], with_statuses ? "" : " without statuses",
           persistent ? "persistent" : "nonblocking");
  if (persistent) repeated = init_mismatch(&mismatch);
  for (round = 0; round < 2; round++) {
    fill(good, round);
    fill_mismatch(&mismatch);
    requests[BAD] = persistent ? repeated : begin_mismatch(&mismatch);
    if (persistent) succeeds("MPI_Start", MPI_Start(&requests[BAD]));
    requests[0] = MPI_REQUEST_NULL;
    succeeds("a nonblocking collective", exchange_begin(good, &requests[GOOD]));
    MPI_Irecv(&to, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[2]);
    MPI_Isend(&from, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[4]);
    complete_by(completion, requests, with_statuses, &told, where);
    expect_told(&told, with_statuses, where);
    if (requests[BAD] != repeated || requests[GOOD] != MPI_REQUEST_NULL) wrong("%s: wrong handles after it", where);
    check_mismatch(&mismatch, where);
    check(good, where);
  }
  if (persistent) succeeds("MPI_Request_free", MPI_Request_free(&repeated));
}

static void fail_in_arrays(void) {
  const struct variant variant = {ALLTOALL, 3, PLAIN, PLAIN, 0, 0};
  struct exchange* good = make_exchange(comm, variant);
  int completion = 0, persistent = 0;
  for (completion = 0; completion < COMPLETIONS; completion++) {
    const int of_several = completion == BY_WAITALL || completion == BY_TESTALL;
    for (persistent = 0; persistent <= vouched; persistent++) {
      fail_in_array((enum completion)completion, persistent, 1, good);
      if (of_several) fail_in_array((enum completion)completion, persistent, 0, good);
    }
  }
  free_exchange(good);
}

/* Another request of the same array is told first: who completes the failed one later hears of it, however often it was
 * looked at in between. */
static void tell_later(int by_some) {
  const struct variant variant = {ALLTOALL, 3, PLAIN, PLAIN, 0, 0};
  struct exchange* good = make_exchange(comm, variant);
  struct mismatch mismatch;
  MPI_Request requests[2];
  MPI_Status status;
  int i = 0, done = 0, index = 0, code = MPI_SUCCESS;
  status.MPI_ERROR = MPI_SUCCESS;
  fill(good, 3);
  succeeds("a nonblocking collective", exchange_begin(good, &requests[0]));
  requests[1] = begin_mismatch(&mismatch);
  for (i = 0; i < 2; i++) {
    for (done = 0; !done;) succeeds("a look", MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE));
  }
  succeeds("a wait for another request", MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
  if (index != 0) wrong("MPI_Waitany completed request %d, not the first that was complete", index);
  /* nothing of Rondo's is in flight any more but what was not told */
  if (by_some) {
    code = MPI_Waitsome(2, requests, &done, &index, &status);
    if (done != 1) wrong("MPI_Waitsome completed %d requests, not one", done);
    if (class_of(code) == MPI_ERR_IN_STATUS) code = status.MPI_ERROR;
  } else {
    code = MPI_Waitany(2, requests, &index, &status);
  }
  if (index != 1) wrong("request %d was completed, not the last", index);
  if (class_of(code) != (rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS)) wrong("told later: class %d", class_of(code));
  check(good, "told later");
  check_mismatch(&mismatch, "told later");
  free_exchange(good);
}

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  return MPI_SUCCESS;
}

static int do_nothing(void* state) {
  (void)state;
  return MPI_SUCCESS;
}

static int do_not_cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

/* MPI_Testall tells of a failure when all are complete, and not before. */
static void tell_when_all_are_complete(void) {
  struct mismatch mismatch;
  MPI_Request requests[2], last = MPI_REQUEST_NULL;
  MPI_Status statuses[2];
  int done = 0, i = 0, code = MPI_SUCCESS;
  requests[0] = begin_mismatch(&mismatch);
  MPI_Grequest_start(query, do_nothing, do_not_cancel, NULL, &last);
  requests[1] = last;
  MPI_Barrier(comm);
  while (!done) succeeds("a look", MPI_Request_get_status(requests[0], &done, MPI_STATUS_IGNORE));
  for (i = 0; i < 3; i++) {
    succeeds("MPI_Testall before all are complete", MPI_Testall(2, requests, &done, statuses));
    if (done) wrong("MPI_Testall is true before all are complete");
  }
  MPI_Grequest_complete(last);
  code = MPI_Testall(2, requests, &done, statuses);
  if (!done) wrong("MPI_Testall is false after all are complete");
  if (class_of(code) != (rank == 0 ? MPI_ERR_IN_STATUS : MPI_SUCCESS)) wrong("MPI_Testall: class %d", class_of(code));
  if (rank == 0 && class_of(statuses[0].MPI_ERROR) != MPI_ERR_TRUNCATE)
    wrong("MPI_Testall: the failed one has class %d", class_of(statuses[0].MPI_ERROR));
}

/* A message of the application's fails beside a collective: both are told, by one call where it finds both. */
static void tell_of_both(void) {
  struct mismatch mismatch;
  MPI_Request requests[3];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  int classes[3] = {UNSET, UNSET, UNSET}, sent[4] = {0}, received[4], found = 0, i = 0;
  MPI_Irecv(received, 2, MPI_INT, left, 8, comm, &requests[0]);
  requests[1] = begin_mismatch(&mismatch);
  MPI_Isend(sent, 4, MPI_INT, right, 8, comm, &requests[2]);
  MPI_Barrier(comm);
  while (found != MPI_UNDEFINED) {
    MPI_Status statuses[3];
    int indices[3];
    const int code = MPI_Testsome(3, requests, &found, indices, statuses);
    if (code != MPI_SUCCESS && class_of(code) != MPI_ERR_IN_STATUS) wrong("MPI_Testsome: class %d", class_of(code));
    for (i = 0; i < found; i++) classes[indices[i]] = code == MPI_SUCCESS ? code : class_of(statuses[i].MPI_ERROR);
    sched_yield();
  }
  if (classes[0] != MPI_ERR_TRUNCATE) wrong("a message that is too long has class %d", classes[0]);
  if (classes[1] != (rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS)) wrong("a collective has class %d", classes[1]);
  if (classes[2] != MPI_SUCCESS) wrong("a send has class %d", classes[2]);
}

static void expect_class(const char* call, int code, int expected) {
  if (class_of(code) != expected) wrong("%s: class %d, not %d", call, class_of(code), expected);
}

/* What may not be done with a request that is active is refused, and it goes on. */
static void misuse_active_ones(void) {
  const struct variant variant = {ALLTOALL, 3, PLAIN, PLAIN, 0, 0};
  struct exchange* good = make_exchange(comm, variant);
  MPI_Request request = MPI_REQUEST_NULL;
  succeeds("a persistent collective", exchange_init(good, &request));
  fill(good, 6);
  succeeds("MPI_Start", MPI_Start(&request));
  expect_class("MPI_Start of an active request", MPI_Start(&request), MPI_ERR_REQUEST);
  expect_class("MPI_Request_free of an active request", MPI_Request_free(&request), MPI_ERR_REQUEST);
  expect_class("MPI_Cancel of a collective", MPI_Cancel(&request), MPI_ERR_REQUEST);
  succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  check(good, "after misuse");
  succeeds("MPI_Request_free", MPI_Request_free(&request));
  fill(good, 7);
  succeeds("a nonblocking collective", exchange_begin(good, &request));
  expect_class("MPI_Request_free of a nonblocking collective", MPI_Request_free(&request), MPI_ERR_REQUEST);
  expect_class("MPI_Cancel of a nonblocking collective", MPI_Cancel(&request), MPI_ERR_REQUEST);
  succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  check(good, "after misuse of a nonblocking collective");
  free_exchange(good);
}

/* One rank gives no place for the request: all hear of it, and none waits. */
static void init_without_request(void) {
  struct mismatch m;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  fill_mismatch(&m);
  code = PERSISTENT(Alltoallv_init)(m.sent, m.received_counts, m.places, MPI_INT, m.received, m.received_counts,
                                    m.places, MPI_INT, comm, MPI_INFO_NULL, rank == 1 ? NULL : &request);
  if (code == MPI_SUCCESS) wrong("a persistent alltoallv succeeds, with no place for one rank's request");
}

/* A block that is not received as it is sent is found when the call is made, and told to all ranks. */
static void init_wrong_sizes(void) {
  struct mismatch m;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm star = MPI_COMM_NULL; /* all send to rank 0 */
  const int target = 0, targets = rank > 0;
  int sources[MOST_BLOCKS], i = 0;
  for (i = 0; i < size; i++) sources[i] = i + 1;
  fill_mismatch(&m);
  expect_class("a persistent alltoallv with wrong sizes",
               PERSISTENT(Alltoallv_init)(m.sent, m.sent_counts, m.places, MPI_INT, m.received, m.received_counts,
                                          m.places, MPI_INT, comm, MPI_INFO_NULL, &request),
               MPI_ERR_TRUNCATE);
  MPI_Dist_graph_create_adjacent(comm, rank == 0 ? size - 1 : 0, sources, MPI_UNWEIGHTED, targets, &target,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
  MPI_Comm_set_errhandler(star, MPI_ERRORS_RETURN);
  expect_class("a persistent neighbor_alltoallv with wrong sizes",
               PERSISTENT(Neighbor_alltoallv_init)(m.sent, m.sent_counts, m.places, MPI_INT, m.received,
                                                   m.received_counts, m.places, MPI_INT, star, MPI_INFO_NULL, &request),
               MPI_ERR_TRUNCATE);
  MPI_Comm_free(&star);
}

/* The communicator is freed before the request: what goes wrong then is told by MPI_COMM_WORLD's error handler. */
static void fail_after_comm_free(void) {
  struct mismatch m;
  MPI_Request repeated = MPI_REQUEST_NULL, once = MPI_REQUEST_NULL;
  const MPI_Comm kept = comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  repeated = init_mismatch(&m);
  once = begin_mismatch(&m);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* often with the handle that was freed */
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  expect_class("MPI_Wait after MPI_Comm_free", MPI_Wait(&once, MPI_STATUS_IGNORE),
               rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  succeeds("MPI_Start", MPI_Start(&repeated));
  expect_class("MPI_Start of an active request", MPI_Start(&repeated), MPI_ERR_REQUEST);
  expect_class("MPI_Wait after MPI_Comm_free", MPI_Wait(&repeated, MPI_STATUS_IGNORE),
               rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  succeeds("MPI_Request_free", MPI_Request_free(&repeated));
  MPI_Comm_free(&comm);
  comm = kept;
}

/* A failure that nobody was told of goes with its request: the next one has its handle, and no failure. */
static void free_untold(void) {
  const struct variant variant = {ALLTOALL, 3, PLAIN, PLAIN, 0, 0};
  struct exchange* good = make_exchange(comm, variant);
  struct mismatch mismatch;
  MPI_Request request = init_mismatch(&mismatch);
  int done = 0;
  succeeds("MPI_Start", MPI_Start(&request));
  while (!done) succeeds("a look", MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE));
  succeeds("MPI_Request_free", MPI_Request_free(&request));
  succeeds("a persistent collective", exchange_init(good, &request));
  succeeds("a wait for an inactive request", MPI_Wait(&request, MPI_STATUS_IGNORE));
  fill(good, 4);
  succeeds("MPI_Start", MPI_Start(&request));
  succeeds("a wait after a request whose failure nobody was told", MPI_Wait(&request, MPI_STATUS_IGNORE));
  check(good, "after a request that failed");
  succeeds("MPI_Request_free", MPI_Request_free(&request));
  free_exchange(good);
}

static int handled = 0, handled_class = MPI_SUCCESS;
static MPI_Comm handled_comm;

static void handle(MPI_Comm* of, int* code, ...) {
  handled++;
  handled_comm = *of;
  handled_class = class_of(*code);
}

/* The communicator's error handler is called, once. */
static void call_handler(void) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  struct mismatch mismatch;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int several = 0;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  for (several = 0; several < 2; several++) {
    const int expected = several ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE;
    handled = 0;
    requests[1] = begin_mismatch(&mismatch);
    if (several)
      MPI_Waitall(2, requests, statuses);
    else
      MPI_Wait(&requests[1], statuses);
    if (handled != (rank == 0)) wrong("the error handler was called %d times", handled);
    if (handled == 1 && (handled_comm != comm || handled_class != expected))
      wrong("the error handler was called with class %d, not %d, or for another communicator", handled_class, expected);
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
}

/* Counts of what is in flight are right after all that: nothing is waited for without being driven. */
static void wait_for_latecomer(void) {
  const struct variant variant = {ALLTOALL, 3, PLAIN, PLAIN, 0, 0};
  struct exchange* good = make_exchange(comm, variant);
  MPI_Request request = MPI_REQUEST_NULL;
  int word = 0;
  fill(good, 5);
  if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 4, comm, MPI_STATUS_IGNORE);
  succeeds("a nonblocking collective", exchange_begin(good, &request));
  if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 4, comm);
  succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  check(good, "after failures");
  free_exchange(good);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  vouched = getenv("RONDO_ASSERT_UNIFORM") != NULL;
  /* where MPICH raises the errors of calls on several requests, whatever communicator they belong to */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  fail_in_arrays();
  tell_later(0);
  tell_later(1);
  tell_when_all_are_complete();
  tell_of_both();
  if (vouched) {
    free_untold();
    fail_after_comm_free();
  } else {
    init_without_request();
    init_wrong_sizes();
  }
  misuse_active_ones();
  call_handler();
  wait_for_latecomer();
  MPI_Comm_free(&comm);
  return finish();
}
