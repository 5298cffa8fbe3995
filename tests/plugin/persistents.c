/* Persistent collectives, by themselves and in arrays with other requests.
 * Usage: persistents dense|all */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "parts/exchange.h"
#include "parts/messages.h"
#include "parts/mixture.h"
#include "parts/outcome.h"
#include "parts/progress.h"
#include "parts/topologies.h"

static const struct slot null_slot = {0, 0, EMPTY, 0, 0, 0};
static const struct slot inactive_slot = {0, 1, EMPTY, 0, 0, 0};
static const struct slot collective_slot = {1, 1, UNDEFINED, 0, 0, 0};

static void expect_freed(MPI_Request* request, const char* where) {
  succeeds("MPI_Request_free", MPI_Request_free(request));
  if (*request != MPI_REQUEST_NULL) wrong("%s: the request is not null after MPI_Request_free", where);
}

/* Started several times, on other data. MPI keeps the types. */
static void start_several_times(MPI_Comm comm, struct variant variant, const char* where) {
  struct exchange* exchange = make_exchange(comm, variant);
  MPI_Request request = MPI_REQUEST_NULL, made = MPI_REQUEST_NULL;
  int round = 0;
  succeeds(where, exchange_init(exchange, &request));
  free_types(exchange);
  made = request;
  expect_nothing_active(1, &request, where);
  for (round = 0; round < 4; round++) {
    fill(exchange, round);
    succeeds("MPI_Start", MPI_Start(&request));
    succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (request != made) wrong("%s: MPI_Wait changed a persistent request", where);
    check(exchange, where);
  }
  expect_nothing_active(1, &request, where);
  expect_freed(&request, where);
  free_exchange(exchange);
}

static void start_all_forms(MPI_Comm comm, int first, int last, const char* where) {
  const struct variant variants[] = {{0, 3, PLAIN, PLAIN, 0, 0},
                                     {0, 2, STRIDED, SHIFTED, 0, 0},
                                     {0, 700, PLAIN, SPACED, 0, 1},
                                     {0, 0, PLAIN, PLAIN, 0, 0},
                                     {0, 3, SHIFTED, SHIFTED, 1, 0}};
  const int count = sizeof variants / sizeof *variants;
  int operation = 0, i = 0;
  for (operation = first; operation < last; operation++) {
    for (i = 0; i < count; i++) {
      struct variant variant = variants[i];
      variant.operation = (enum operation)operation;
      if (variant.in_place && operation >= FIRST_NEIGHBOR_OPERATION) continue;
      start_several_times(comm, variant, where);
    }
  }
}

static void start_on_topologies(const struct topology topologies[], int count) {
  int i = 0;
  for (i = 0; i < count; i++) {
    MPI_Comm comm = topologies[i].make(topologies[i].description);
    if (comm == MPI_COMM_NULL) continue;
    start_all_forms(comm, FIRST_NEIGHBOR_OPERATION, OPERATIONS, topologies[i].name);
    MPI_Comm_free(&comm);
  }
}

enum { SETS = 3 };

/* Three persistent collectives and a persistent message, each with its request. */
struct set {
  struct exchange* exchanges[SETS];
  struct message message;
  MPI_Request requests[SETS + 2];
};

static void make_set(struct set* set, MPI_Comm comm) {
  static const struct variant variants[SETS] = {{ALLTOALL, 3, PLAIN, PLAIN, 0, 0},
                                                {ALLTOALLW, 2, STRIDED, SPACED, 0, 0},
                                                {ALLTOALLV, 3000, PLAIN, SHIFTED, 0, 0}};
  int i = 0;
  for (i = 0; i < SETS; i++) {
    set->exchanges[i] = make_exchange(comm, variants[i]);
    succeeds("a persistent collective", exchange_init(set->exchanges[i], &set->requests[i]));
  }
  set_message(&set->message, comm, 5, 0);
  MPI_Recv_init(set->message.received, MESSAGE_COUNT + 2, MPI_INT, set->message.left, 5, comm, &set->requests[SETS]);
  MPI_Send_init(set->message.sent, MESSAGE_COUNT, MPI_INT, set->message.right, 5, comm, &set->requests[SETS + 1]);
}

static void fill_set(struct set* set, int round) {
  int i = 0;
  for (i = 0; i < SETS; i++) fill(set->exchanges[i], round);
  set_message(&set->message, set->message.comm, 5, round);
}

static void free_set(struct set* set) {
  int i = 0;
  for (i = 0; i < SETS + 2; i++) expect_freed(&set->requests[i], "a set of requests");
  for (i = 0; i < SETS; i++) free_exchange(set->exchanges[i]);
}

static void check_set(const struct set* set, int round, const char* where) {
  int i = 0;
  for (i = 0; i < SETS; i++) check(set->exchanges[i], where);
  check_message(&set->message, round, where);
}

/* Started one by one, or all at once, and completed in an array with others. */
static void complete_set(struct set* set, enum completion completion, int round, MPI_Request inactive) {
  struct mixture mixture;
  char where[64];
  int i = 0;
  snprintf(where, sizeof where, "round %d by %s", round, completion_names[completion]);
  clear(&mixture, where);
  fill_set(set, round);
  if (round % 2 == 0)
    succeeds("MPI_Startall", MPI_Startall(SETS + 2, set->requests));
  else
    for (i = 0; i < SETS + 2; i++) succeeds("MPI_Start", MPI_Start(&set->requests[i]));
  add(&mixture, MPI_REQUEST_NULL, null_slot);
  add(&mixture, inactive, inactive_slot);
  add(&mixture, set->requests[1], collective_slot);
  add(&mixture, set->requests[SETS], receive_slot(&set->message, 1));
  add(&mixture, set->requests[2], collective_slot);
  add_generalized(&mixture);
  add(&mixture, set->requests[SETS + 1], send_slot(1));
  add(&mixture, set->requests[0], collective_slot);
  complete(&mixture, completion, round / 2 % 2);
  check_set(set, round, where);
}

static void complete_sets(MPI_Comm comm) {
  const struct variant variant = {ALLTOALL, 4, PLAIN, PLAIN, 0, 0};
  struct exchange* unused = make_exchange(comm, variant);
  struct set set;
  MPI_Request inactive = MPI_REQUEST_NULL;
  int completion = 0, round = 0;
  succeeds("a persistent collective", exchange_init(unused, &inactive));
  make_set(&set, comm);
  for (completion = 0; completion < COMPLETIONS; completion++) {
    for (round = 0; round < 4; round++) complete_set(&set, (enum completion)completion, round, inactive);
  }
  free_set(&set);
  expect_freed(&inactive, "never started");
  free_exchange(unused);
}

/* Two are in flight at once; each rank waits in an order of its own, and freed one before the other. */
static void have_two_in_flight(MPI_Comm comm) {
  const struct variant variant = {ALLTOALL, 100, PLAIN, PLAIN, 0, 0};
  struct exchange* both[2] = {make_exchange(comm, variant), make_exchange(comm, variant)};
  MPI_Request requests[2];
  int rank = 0, round = 0, i = 0;
  MPI_Comm_rank(comm, &rank);
  for (i = 0; i < 2; i++) succeeds("two in flight", exchange_init(both[i], &requests[i]));
  for (round = 0; round < 6; round++) {
    const int first = (rank + round) % 2;
    for (i = 0; i < 2; i++) {
      fill(both[i], (round + i) % 8);
      succeeds("MPI_Start", MPI_Start(&requests[i]));
    }
    for (i = 0; i < 2; i++) {
      succeeds("MPI_Wait", MPI_Wait(&requests[(first + i) % 2], MPI_STATUS_IGNORE));
      check(both[(first + i) % 2], "two in flight");
    }
  }
  for (i = 0; i < 2; i++) {
    expect_freed(&requests[i], "two in flight");
    free_exchange(both[i]);
  }
}

/* The request keeps what it needs of its communicator. */
static void free_communicator_first(void) {
  const struct variant variant = {ALLTOALLV, 5, PLAIN, PLAIN, 0, 0};
  MPI_Comm comm = MPI_COMM_NULL;
  struct exchange* exchange = NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int round = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  exchange = make_exchange(comm, variant);
  succeeds("a persistent alltoallv", exchange_init(exchange, &request));
  MPI_Comm_free(&comm);
  for (round = 0; round < 3; round++) {
    fill(exchange, round);
    succeeds("MPI_Start", MPI_Start(&request));
    succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    check(exchange, "after MPI_Comm_free");
  }
  expect_freed(&request, "after MPI_Comm_free");
  free_exchange(exchange);
}

static void check_progress_of_all(MPI_Comm comm) {
  enum { MEBIBYTE = 1 << 17 };
  static const int pairs[] = {1, 30, 1000, MEBIBYTE};
  int i = 0;
  for (i = 0; i < 4; i++) {
    const struct variant variant = {ALLTOALL, pairs[i], PLAIN, PLAIN, 0, 0};
    struct exchange* exchange = make_exchange(comm, variant);
    MPI_Request request = MPI_REQUEST_NULL;
    succeeds("a persistent alltoall", exchange_init(exchange, &request));
    check_progress(exchange, &request, "progress");
    expect_freed(&request, "progress");
    free_exchange(exchange);
  }
}

static void refuse(MPI_Comm comm) {
  const struct variant variant = {ALLTOALL, 3, PLAIN, PLAIN, 0, 0};
  struct exchange* exchange = make_exchange(comm, variant);
  MPI_Request request = MPI_REQUEST_NULL;
  int found = MPI_SUCCESS;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  exchange->sent.counts[0] = -1;
  MPI_Error_class(exchange_init(exchange, &request), &found);
  if (found != MPI_ERR_COUNT) wrong("a negative count: class %d", found);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  free_exchange(exchange);
}

int main(int argc, char** argv) {
  const int all = argc > 1 && strcmp(argv[1], "all") == 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  start_all_forms(comm, ALLTOALL, FIRST_NEIGHBOR_OPERATION, "a duplicate");
  start_all_forms(MPI_COMM_SELF, ALLTOALL, FIRST_NEIGHBOR_OPERATION, "MPI_COMM_SELF");
  if (all) {
    start_on_topologies(cartesian_topologies, cartesian_topology_count);
    start_on_topologies(graph_topologies, graph_topology_count);
  }
  complete_sets(comm);
  have_two_in_flight(comm);
  free_communicator_first();
  refuse(comm);
  check_progress_of_all(comm);
  MPI_Comm_free(&comm);
  return finish();
}
