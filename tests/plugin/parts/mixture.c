#include "mixture.h"

#include <sched.h>
#include <string.h>

#include "outcome.h"

const char* const completion_names[COMPLETIONS] = {"MPI_Wait",     "MPI_Waitall",  "MPI_Waitany",
                                                   "MPI_Waitsome", "MPI_Test",     "MPI_Testall",
                                                   "MPI_Testany",  "MPI_Testsome", "MPI_Request_get_status"};

enum { GENERALIZED_SOURCE = 3, GENERALIZED_TAG = 77, GENERALIZED_COUNT = 5 };

void clear(struct mixture* mixture, const char* where) {
  memset(mixture, 0, sizeof *mixture);
  mixture->where = where;
  mixture->generalized = -1;
}

int add(struct mixture* mixture, MPI_Request request, struct slot slot) {
  if (mixture->count == MOST_REQUESTS) MPI_Abort(MPI_COMM_WORLD, 1);
  mixture->slots[mixture->count] = slot;
  mixture->requests[mixture->count] = request;
  return mixture->count++;
}

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, GENERALIZED_COUNT);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = GENERALIZED_SOURCE;
  status->MPI_TAG = GENERALIZED_TAG;
  return MPI_SUCCESS;
}

static int free_state(void* state) {
  ++*(int*)state;
  return MPI_SUCCESS;
}

static int cancel(void* state, int is_complete) {
  (void)state;
  (void)is_complete;
  return MPI_SUCCESS;
}

static int generalized_freed = 0;

void add_generalized(struct mixture* mixture) {
  const struct slot slot = {1, 0, FILLED, GENERALIZED_SOURCE, GENERALIZED_TAG, GENERALIZED_COUNT};
  MPI_Request request = MPI_REQUEST_NULL;
  generalized_freed = 0;
  MPI_Grequest_start(query, free_state, cancel, &generalized_freed, &request);
  mixture->generalized = add(mixture, request, slot);
}

static void expect_status(const struct mixture* mixture, const char* call, int i, enum status_kind kind,
                          const MPI_Status* status) {
  const struct slot* slot = &mixture->slots[i];
  const int source = kind == EMPTY ? MPI_ANY_SOURCE : slot->source, tag = kind == EMPTY ? MPI_ANY_TAG : slot->tag;
  int count = 0, cancelled = 0;
  MPI_Test_cancelled(status, &cancelled);
  if (cancelled) wrong("%s, %s: request %d is said to be canceled", mixture->where, call, i);
  if (status->MPI_ERROR != MPI_SUCCESS)
    wrong("%s, %s: request %d has error %d", mixture->where, call, i, status->MPI_ERROR);
  if (kind == UNDEFINED) return;
  MPI_Get_count(status, MPI_INT, &count);
  if (status->MPI_SOURCE != source || status->MPI_TAG != tag || count != (kind == EMPTY ? 0 : slot->count))
    wrong("%s, %s: request %d: source %d, tag %d, %d ints; not %d, %d, %d", mixture->where, call, i, status->MPI_SOURCE,
          status->MPI_TAG, count, source, tag, kind == EMPTY ? 0 : slot->count);
}

/* The one request is said to be complete. `status` may be NULL. */
static void completed(struct mixture* mixture, const char* call, int i, const MPI_Status* status) {
  struct slot* slot = NULL;
  if (i < 0 || i >= mixture->count) {
    wrong("%s, %s: index %d of %d", mixture->where, call, i, mixture->count);
    return;
  }
  slot = &mixture->slots[i];
  if (status != NULL) expect_status(mixture, call, i, slot->active ? slot->status : EMPTY, status);
  slot->active = 0;
  if (mixture->requests[i] != (slot->persistent ? mixture->handles[i] : MPI_REQUEST_NULL))
    wrong("%s, %s: request %d has a wrong handle after it", mixture->where, call, i);
}

/* Completed by a call that must pass over inactive ones. */
static void completed_active(struct mixture* mixture, const char* call, int i, const MPI_Status* status) {
  if (i >= 0 && i < mixture->count && !mixture->slots[i].active)
    wrong("%s, %s: request %d was not active", mixture->where, call, i);
  completed(mixture, call, i, status);
}

static int active_ones(const struct mixture* mixture) {
  int active = 0, i = 0;
  for (i = 0; i < mixture->count; i++) active += mixture->slots[i].active;
  return active;
}

static void complete_generalized(struct mixture* mixture) {
  if (mixture->generalized >= 0) MPI_Grequest_complete(mixture->handles[mixture->generalized]);
  mixture->generalized = -1;
}

static void complete_generalized_if_last(struct mixture* mixture) {
  if (active_ones(mixture) == 1) complete_generalized(mixture);
}

/* A test that found nothing leaves the handles as they are. */
static void expect_unchanged(const struct mixture* mixture, const char* call) {
  int i = 0;
  for (i = 0; i < mixture->count; i++) {
    if (mixture->slots[i].active && mixture->requests[i] != mixture->handles[i])
      wrong("%s, %s changed request %d without completing it", mixture->where, call, i);
  }
}

/* What calls may leave as it is: the error; in MPICH, of collectives by MPI_Request_get_status, all of it. */
static void clear_statuses(MPI_Status statuses[], int count) {
  int i = 0;
  for (i = 0; i < count; i++) {
    statuses[i].MPI_ERROR = MPI_SUCCESS;
    statuses[i].MPI_SOURCE = statuses[i].MPI_TAG = 12345;
    MPI_Status_set_cancelled(&statuses[i], 0);
    MPI_Status_set_elements(&statuses[i], MPI_INT, 1);
  }
}

static void by_wait(struct mixture* mixture, int with_statuses) {
  int i = 0;
  complete_generalized(mixture);
  for (i = 0; i < mixture->count; i++) {
    MPI_Status status;
    clear_statuses(&status, 1);
    succeeds("MPI_Wait", MPI_Wait(&mixture->requests[i], with_statuses ? &status : MPI_STATUS_IGNORE));
    completed(mixture, "MPI_Wait", i, with_statuses ? &status : NULL);
  }
}

static void all_completed(struct mixture* mixture, const char* call, const MPI_Status* statuses) {
  int i = 0;
  for (i = 0; i < mixture->count; i++) completed(mixture, call, i, statuses == NULL ? NULL : &statuses[i]);
}

static void by_waitall(struct mixture* mixture, int with_statuses) {
  MPI_Status statuses[MOST_REQUESTS];
  clear_statuses(statuses, MOST_REQUESTS);
  complete_generalized(mixture);
  succeeds("MPI_Waitall",
           MPI_Waitall(mixture->count, mixture->requests, with_statuses ? statuses : MPI_STATUSES_IGNORE));
  all_completed(mixture, "MPI_Waitall", with_statuses ? statuses : NULL);
}

static void by_testall(struct mixture* mixture, int with_statuses) {
  enum { BEFORE_GENERALIZED = 20 };
  MPI_Status statuses[MOST_REQUESTS];
  int done = 0, tests = 0;
  clear_statuses(statuses, MOST_REQUESTS);
  for (;;) {
    succeeds("MPI_Testall",
             MPI_Testall(mixture->count, mixture->requests, &done, with_statuses ? statuses : MPI_STATUSES_IGNORE));
    if (done) break;
    expect_unchanged(mixture, "MPI_Testall");
    if (++tests == BEFORE_GENERALIZED) complete_generalized(mixture);
    sched_yield();
  }
  if (mixture->generalized >= 0) wrong("%s, MPI_Testall: true before all are complete", mixture->where);
  all_completed(mixture, "MPI_Testall", with_statuses ? statuses : NULL);
}

static void by_test(struct mixture* mixture, int with_statuses) {
  int i = 0;
  for (i = 0; active_ones(mixture) != 0; i = (i + 1) % mixture->count) {
    MPI_Status status;
    int done = 0;
    complete_generalized_if_last(mixture);
    clear_statuses(&status, 1);
    succeeds("MPI_Test", MPI_Test(&mixture->requests[i], &done, with_statuses ? &status : MPI_STATUS_IGNORE));
    if (done) completed(mixture, "MPI_Test", i, with_statuses ? &status : NULL);
    if (!done && !mixture->slots[i].active) wrong("%s, MPI_Test: false for an inactive request", mixture->where);
    expect_unchanged(mixture, "MPI_Test");
    sched_yield();
  }
}

/* MPI_Waitany, or MPI_Testany. */
static void by_any(struct mixture* mixture, int waits, int with_statuses) {
  const char* call = waits ? "MPI_Waitany" : "MPI_Testany";
  for (;;) {
    MPI_Status status;
    MPI_Status* wanted = with_statuses ? &status : MPI_STATUS_IGNORE;
    int done = 1, index = -1;
    complete_generalized_if_last(mixture);
    clear_statuses(&status, 1);
    if (waits)
      succeeds(call, MPI_Waitany(mixture->count, mixture->requests, &index, wanted));
    else
      succeeds(call, MPI_Testany(mixture->count, mixture->requests, &index, &done, wanted));
    if (!done) {
      if (index != MPI_UNDEFINED) wrong("%s, %s: false with index %d", mixture->where, call, index);
      sched_yield();
    } else if (index == MPI_UNDEFINED) {
      if (active_ones(mixture) != 0) wrong("%s, %s: no index, and a request is active", mixture->where, call);
      if (with_statuses && waits) expect_status(mixture, call, 0, EMPTY, &status); /* MPICH's test leaves it as it is */
      return;
    } else {
      completed_active(mixture, call, index, with_statuses ? &status : NULL);
    }
    expect_unchanged(mixture, call);
  }
}

/* MPI_Waitsome, or MPI_Testsome. */
static void by_some(struct mixture* mixture, int waits, int with_statuses) {
  const char* call = waits ? "MPI_Waitsome" : "MPI_Testsome";
  for (;;) {
    MPI_Status statuses[MOST_REQUESTS];
    MPI_Status* wanted = with_statuses ? statuses : MPI_STATUSES_IGNORE;
    int indices[MOST_REQUESTS], found = -1, i = 0;
    complete_generalized_if_last(mixture);
    clear_statuses(statuses, MOST_REQUESTS);
    if (waits)
      succeeds(call, MPI_Waitsome(mixture->count, mixture->requests, &found, indices, wanted));
    else
      succeeds(call, MPI_Testsome(mixture->count, mixture->requests, &found, indices, wanted));
    if (found == MPI_UNDEFINED) {
      if (active_ones(mixture) != 0) wrong("%s, %s: undefined, and a request is active", mixture->where, call);
      return;
    }
    if (waits && found < 1) wrong("%s, %s: %d requests", mixture->where, call, found);
    for (i = 0; i < found; i++) completed_active(mixture, call, indices[i], with_statuses ? &statuses[i] : NULL);
    expect_unchanged(mixture, call);
    if (found == 0) sched_yield();
  }
}

/* Its request stays as it is, also when it is complete. */
static void by_get_status(struct mixture* mixture, int with_statuses) {
  const char* call = "MPI_Request_get_status";
  int i = 0;
  complete_generalized(mixture);
  for (i = 0; i < mixture->count; i++) {
    struct slot* slot = &mixture->slots[i];
    const enum status_kind kind = slot->active ? slot->status : EMPTY;
    int done = 0, again = 0;
    for (again = 0; again < 2; again++) {
      MPI_Status status;
      clear_statuses(&status, 1);
      for (done = 0; !done; sched_yield())
        succeeds(call,
                 MPI_Request_get_status(mixture->requests[i], &done, with_statuses ? &status : MPI_STATUS_IGNORE));
      if (with_statuses) expect_status(mixture, call, i, kind, &status);
      expect_unchanged(mixture, call);
    }
  }
  by_wait(mixture, with_statuses);
}

void complete(struct mixture* mixture, enum completion completion, int with_statuses) {
  const int generalized = mixture->generalized;
  memcpy(mixture->handles, mixture->requests, sizeof mixture->requests);
  switch (completion) {
    case BY_WAIT:
      by_wait(mixture, with_statuses);
      break;
    case BY_WAITALL:
      by_waitall(mixture, with_statuses);
      break;
    case BY_WAITANY:
    case BY_TESTANY:
      by_any(mixture, completion == BY_WAITANY, with_statuses);
      break;
    case BY_WAITSOME:
    case BY_TESTSOME:
      by_some(mixture, completion == BY_WAITSOME, with_statuses);
      break;
    case BY_TEST:
      by_test(mixture, with_statuses);
      break;
    case BY_TESTALL:
      by_testall(mixture, with_statuses);
      break;
    default:
      by_get_status(mixture, with_statuses);
  }
  if (generalized >= 0 && generalized_freed != 1)
    wrong("%s, %s: a generalized request was freed %d times", mixture->where, completion_names[completion],
          generalized_freed);
  expect_nothing_active(mixture->count, mixture->requests, mixture->where);
}

void expect_nothing_active(int count, MPI_Request requests[], const char* where) {
  struct mixture mixture;
  MPI_Status statuses[MOST_REQUESTS];
  int indices[MOST_REQUESTS], done = 0, index = 0, found = 0, i = 0;
  clear(&mixture, where);
  clear_statuses(statuses, MOST_REQUESTS);
  succeeds("MPI_Waitall", MPI_Waitall(count, requests, statuses));
  for (i = 0; i < count; i++) expect_status(&mixture, "MPI_Waitall of inactive ones", i, EMPTY, &statuses[i]);
  clear_statuses(statuses, MOST_REQUESTS);
  succeeds("MPI_Testall", MPI_Testall(count, requests, &done, statuses));
  for (i = 0; i < count; i++) expect_status(&mixture, "MPI_Testall of inactive ones", i, EMPTY, &statuses[i]);
  if (!done) wrong("%s, MPI_Testall: false with no active request", where);
  clear_statuses(statuses, MOST_REQUESTS);
  succeeds("MPI_Waitany", MPI_Waitany(count, requests, &index, statuses));
  expect_status(&mixture, "MPI_Waitany of inactive ones", 0, EMPTY, statuses);
  if (index != MPI_UNDEFINED) wrong("%s, MPI_Waitany: index %d with no active request", where, index);
  succeeds("MPI_Testany", MPI_Testany(count, requests, &index, &done, MPI_STATUS_IGNORE));
  if (!done || index != MPI_UNDEFINED) wrong("%s, MPI_Testany: %d, index %d, no active request", where, done, index);
  succeeds("MPI_Waitsome", MPI_Waitsome(count, requests, &found, indices, statuses));
  if (found != MPI_UNDEFINED) wrong("%s, MPI_Waitsome: %d with no active request", where, found);
  succeeds("MPI_Testsome", MPI_Testsome(count, requests, &found, indices, statuses));
  if (found != MPI_UNDEFINED) wrong("%s, MPI_Testsome: %d with no active request", where, found);
}
