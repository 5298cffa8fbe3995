/* Requests of all kinds in one array, completed by each of MPI's waits and tests, and what these must say about them.
 */
#ifndef RONDO_TESTS_PLUGIN_MIXTURE_H
#define RONDO_TESTS_PLUGIN_MIXTURE_H

#include <mpi.h>

enum completion {
  BY_WAIT,
  BY_WAITALL,
  BY_WAITANY,
  BY_WAITSOME,
  BY_TEST,
  BY_TESTALL,
  BY_TESTANY,
  BY_TESTSOME,
  BY_GET_STATUS, /* and a wait */
  COMPLETIONS
};

extern const char* const completion_names[COMPLETIONS];

enum status_kind {
  EMPTY,     /* of a request that is null or inactive */
  FILLED,    /* source, tag and count are known */
  UNDEFINED, /* of a send or a collective */
};

struct slot {
  int active;
  int persistent;
  enum status_kind status;
  int source, tag, count; /* of ints */
};

enum { MOST_REQUESTS = 32 };

struct mixture {
  const char* where;
  int count;
  struct slot slots[MOST_REQUESTS];
  MPI_Request requests[MOST_REQUESTS];
  MPI_Request handles[MOST_REQUESTS]; /* as they were at the start */
  int generalized;                    /* the slot of the one that `complete` completes last, or -1 */
};

void clear(struct mixture* mixture, const char* where);

/* The next slot, which is returned. */
int add(struct mixture* mixture, MPI_Request request, struct slot slot);

/* One that the application itself completes; at most one in a mixture. */
void add_generalized(struct mixture* mixture);

/* Completes all. */
void complete(struct mixture* mixture, enum completion completion, int with_statuses);

/* The waits and tests of requests that are all null or inactive, or of none. */
void expect_nothing_active(int count, MPI_Request requests[], const char* where);

#endif
