/* MPI is initialized at a level of thread support, and used as that allows.
 * Usage: levels init|funneled|serialized|multiple|makers
 * makers: as multiple, but the threads also make their communicators, all at the same time. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/exchange.h"
#include "parts/outcome.h"

enum { ROUNDS = 20, THREADS = 2, MAKERS = 4, MADE = 50 };

/* Each thread has communicators of its own. */
struct communicators {
  MPI_Comm comm, circle;
};

static struct communicators make_communicators(void) {
  struct communicators made = {MPI_COMM_NULL, MPI_COMM_NULL};
  const int periodic = 1;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &made.comm);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &made.circle);
  return made;
}

static void free_communicators(struct communicators* made) {
  MPI_Comm_free(&made->comm);
  MPI_Comm_free(&made->circle);
}

static void* exchange_all(void* state) {
  const struct communicators* communicators = state;
  const struct variant dense = {ALLTOALL, 20, PLAIN, STRIDED, 0, 0};
  const struct variant irregular = {ALLTOALLV, 500, PLAIN, PLAIN, 0, 0};
  const struct variant neighbors = {NEIGHBOR_ALLTOALL, 7, PLAIN, PLAIN, 0, 0};
  struct exchange* exchanges[3] = {make_exchange(communicators->comm, dense),
                                   make_exchange(communicators->comm, irregular),
                                   make_exchange(communicators->circle, neighbors)};
  int round = 0, i = 0;
  for (round = 0; round < ROUNDS; round++) {
    MPI_Request requests[3];
    for (i = 0; i < 3; i++) {
      fill(exchanges[i], round % 8);
      succeeds("a blocking exchange", exchange_now(exchanges[i]));
      check(exchanges[i], "blocking");
      fill(exchanges[i], (round + 1) % 8);
      succeeds("a nonblocking exchange", exchange_begin(exchanges[i], &requests[i]));
    }
    succeeds("MPI_Waitall", MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    for (i = 0; i < 3; i++) check(exchanges[i], "nonblocking");
  }
  for (i = 0; i < 3; i++) free_exchange(exchanges[i]);
  return NULL;
}

static void make_of(MPI_Group group, int tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 0, sum = -1;
  MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  succeeds("MPI_Allreduce", MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  if (sum != ranks * (ranks - 1) / 2) wrong("the sum of %d ranks is %d", ranks, sum);
  MPI_Comm_free(&comm);
}

/* Of all ranks and of some, each thread with a tag of its own. */
static void* make_and_exchange(void* tag) {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  int rank = 0, ranks = 0, i = 0;
  int range[1][3];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  range[0][0] = 0, range[0][1] = ranks / 2, range[0][2] = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &some);
  for (i = 0; i < MADE; i++) {
    if (rank <= ranks / 2) make_of(some, *(const int*)tag);
    make_of(all, *(const int*)tag);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return NULL;
}

static int in_background(void) {
  const char* const progress = getenv("RONDO_PROGRESS");
  return progress != NULL && strcmp(progress, "async") == 0;
}

static int initialize(int* argc, char*** argv, const char* level) {
  const char* const names[] = {"init", "funneled", "serialized", "multiple"};
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int provided = MPI_THREAD_SINGLE, queried = MPI_THREAD_SINGLE, is_main = 0, k = 0;
  while (k < 3 && strcmp(level, names[k]) != 0) k++;
  if (k == 0) {
    MPI_Init(argc, argv);
    MPI_Query_thread(&provided);
  } else {
    MPI_Init_thread(argc, argv, levels[k], &provided);
  }
  MPI_Query_thread(&queried);
  if (queried != provided) wrong("level %d was provided, and is %d", provided, queried);
  if (provided < levels[k]) wrong("level %d was provided, not %d", provided, levels[k]);
  if (in_background() && provided < MPI_THREAD_MULTIPLE) wrong("level %d was provided for async", provided);
  MPI_Is_thread_main(&is_main);
  if (!is_main) wrong("this is not the main thread");
  return levels[k];
}

/* One after the other: another thread, and this one. */
static void take_turns(struct communicators* communicators) {
  pthread_t thread;
  pthread_create(&thread, NULL, exchange_all, communicators);
  pthread_join(thread, NULL);
  exchange_all(communicators);
}

static void make_at_the_same_time(void) {
  pthread_t threads[MAKERS];
  int tags[MAKERS];
  int i = 0;
  for (i = 0; i < MAKERS; i++) {
    tags[i] = i;
    pthread_create(&threads[i], NULL, make_and_exchange, &tags[i]);
  }
  for (i = 0; i < MAKERS; i++) pthread_join(threads[i], NULL);
}

static void work_together(struct communicators communicators[THREADS]) {
  pthread_t threads[THREADS];
  int i = 0;
  for (i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchange_all, &communicators[i]);
  for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "init";
  const int level = initialize(&argc, &argv, name);
  struct communicators communicators[THREADS] = {make_communicators(), make_communicators()};
  int i = 0;
  exchange_all(&communicators[0]);
  if (level == MPI_THREAD_SERIALIZED) take_turns(&communicators[0]);
  if (level == MPI_THREAD_MULTIPLE) work_together(communicators);
  if (strcmp(name, "makers") == 0) make_at_the_same_time();
  for (i = 0; i < THREADS; i++) free_communicators(&communicators[i]);
  return finish();
}
