/* Random programs: collectives of all kinds and forms on several communicators, many in flight, completed on each rank
 * in an order and by calls of its own, beside messages, and while other ranks are inside functions of MPI's. What ranks
 * must do alike is drawn from one seed, the rest from another on each rank. RONDO_TEST_SEED=N replays one program;
 * RONDO_TEST_SCALE multiplies their number.
 *
 * Usage: chaos [all]     where all are Rondo's: also what MPI does wrong */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/exchange.h"
#include "parts/messages.h"
#include "parts/mixture.h"
#include "parts/outcome.h"
#include "parts/places.h"

enum { PROGRAMS = 400, STEPS = 40, MOST_FLIGHTS = 20, COMMS = 3 };

struct random {
  uint64_t state;
};

/* From 0 on, below `end`: splitmix64. */
static int draw(struct random* random, int end) {
  uint64_t mixed = random->state += UINT64_C(0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (int)((mixed ^ (mixed >> 31)) % (uint64_t)end);
}

struct flight {
  struct exchange* exchange; /* NULL: the place is free */
  MPI_Request request;
  int persistent, active;
};

static int rank = 0, size = 0, all_are_rondos = 0;
static unsigned long seed = 0;
static struct random common, own;
static MPI_Comm comms[COMMS];
static struct flight flights[MOST_FLIGHTS];

/* All ranks, a torus and a mesh. */
static void make_comms(void) {
  const int periodic[2] = {1, 1}, mixed[2] = {0, 1};
  int sizes[2] = {0, 0};
  MPI_Dims_create(size, 2, sizes);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &comms[1]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, mixed, 0, &comms[2]);
}

static struct exchange* draw_exchange(void) {
  static const int pairs[] = {0, 1, 2, 3, 4, 30, 400, 5000};
  const int comm = draw(&common, COMMS);
  struct variant variant = {ALLTOALL, 0, PLAIN, PLAIN, 0, 0};
  variant.operation =
      comm == 0 ? (enum operation)draw(&common, FIRST_NEIGHBOR_OPERATION)
                : (enum operation)(FIRST_NEIGHBOR_OPERATION + draw(&common, OPERATIONS - FIRST_NEIGHBOR_OPERATION));
  variant.pairs = pairs[draw(&common, sizeof pairs / sizeof *pairs)];
  /* Open MPI 4.1 delivers wrong data in place, of long blocks that differ. */
  variant.in_place = comm == 0 && draw(&common, 4) == 0 && (all_are_rondos || variant.operation == ALLTOALL);
  variant.at_bottom = !variant.in_place && draw(&common, 6) == 0;
  variant.sent_as = (enum layout)draw(variant.in_place ? &common : &own, LAYOUTS);
  variant.received_as = (enum layout)draw(variant.in_place ? &common : &own, LAYOUTS);
  return make_exchange(comms[comm], variant);
}

/* The same place on all ranks, or NULL. */
static struct flight* free_place(void) {
  int i = 0;
  for (i = 0; i < MOST_FLIGHTS; i++) {
    if (flights[i].exchange == NULL) return &flights[i];
  }
  return NULL;
}

static void give_up(struct flight* flight) {
  if (flight->persistent) succeeds("MPI_Request_free", MPI_Request_free(&flight->request));
  free_exchange(flight->exchange);
  flight->exchange = NULL;
  flight->persistent = 0;
}

static void over(struct flight* flight) {
  char where[64];
  snprintf(where, sizeof where, "RONDO_TEST_SEED=%lu", seed);
  flight->active = 0;
  check(flight->exchange, where);
}

/* Completes so many of them together, with messages that the rank sends itself. */
static void complete_together(struct flight* some[], int count) {
  const struct slot nonblocking = {1, 0, UNDEFINED, 0, 0, 0}, persistent = {1, 1, UNDEFINED, 0, 0, 0};
  struct mixture mixture;
  struct message message;
  MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
  int slots[MOST_FLIGHTS], i = 0;
  const int with_message = draw(&own, 2);
  clear(&mixture, "a random program");
  if (with_message) {
    set_message(&message, MPI_COMM_SELF, 9, 1);
    MPI_Irecv(message.received, MESSAGE_COUNT + 2, MPI_INT, 0, 9, MPI_COMM_SELF, &receive);
    MPI_Isend(message.sent, MESSAGE_COUNT, MPI_INT, 0, 9, MPI_COMM_SELF, &send);
    add(&mixture, receive, receive_slot(&message, 0));
  }
  for (i = 0; i < count; i++)
    slots[i] = add(&mixture, some[i]->request, some[i]->persistent ? persistent : nonblocking);
  if (with_message) add(&mixture, send, send_slot(0));
  complete(&mixture, (enum completion)draw(&own, COMPLETIONS), draw(&own, 2));
  for (i = 0; i < count; i++) {
    some[i]->request = mixture.requests[slots[i]];
    over(some[i]);
  }
}

/* Completes those that `wanted` marks, in any order. All ranks have started them, or will without waiting for this. */
static void complete_all(const int wanted[]) {
  struct flight* some[MOST_FLIGHTS];
  int count = 0, i = 0;
  for (i = 0; i < MOST_FLIGHTS; i++) {
    if (flights[i].active && wanted[i]) some[count++] = &flights[i];
  }
  for (i = count; i > 1; i--) {
    const int other = draw(&own, i);
    struct flight* const last = some[i - 1];
    some[i - 1] = some[other];
    some[other] = last;
  }
  while (count > 0) {
    const int together = 1 + draw(&own, count);
    count -= together;
    complete_together(some + count, together);
  }
}

/* Nonblocking ones that are complete leave their places: on all ranks alike, so that they have the same ones. */
static void clear_places(void) {
  int wanted[MOST_FLIGHTS], i = 0;
  for (i = 0; i < MOST_FLIGHTS; i++) wanted[i] = !flights[i].persistent && draw(&common, 2);
  complete_all(wanted);
  for (i = 0; i < MOST_FLIGHTS; i++) {
    if (wanted[i] && flights[i].exchange != NULL) give_up(&flights[i]);
  }
}

/* Persistent ones, the same on all ranks; one by one or together. */
static void start_some(void) {
  MPI_Request requests[MOST_FLIGHTS];
  int wanted[MOST_FLIGHTS], count = 0, i = 0;
  for (i = 0; i < MOST_FLIGHTS; i++) wanted[i] = flights[i].persistent && draw(&common, 3);
  complete_all(wanted);
  for (i = 0; i < MOST_FLIGHTS; i++) {
    if (!wanted[i]) continue;
    fill(flights[i].exchange, draw(&common, 8));
    requests[count++] = flights[i].request;
    flights[i].active = 1;
  }
  if (draw(&own, 2)) {
    succeeds("MPI_Startall", MPI_Startall(count, requests));
  } else {
    while (count > 0) succeeds("MPI_Start", MPI_Start(&requests[--count]));
  }
}

/* What a rank may do at any time. */
static void dawdle(void) {
  int wanted[MOST_FLIGHTS] = {0}, done = 0, times = draw(&own, 4);
  for (; times > 0; times--) {
    struct flight* const one = &flights[draw(&own, MOST_FLIGHTS)];
    switch (draw(&own, 4)) {
      case 0:
        sched_yield();
        break;
      case 1:
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
        break;
      case 2:
        if (!one->active) break;
        succeeds("MPI_Test", MPI_Test(&one->request, &done, MPI_STATUS_IGNORE));
        if (done) over(one);
        break;
      default:
        wanted[one - flights] = 1;
        complete_all(wanted);
        break;
    }
  }
}

/* Some ranks are inside MPI until the others have completed all that is in flight. */
static void wait_while_others_are_elsewhere(void) {
  const struct place* const place = &places[draw(&common, PLACES)];
  const int inside = draw(&common, 2) == (rank == 0);
  int all[MOST_FLIGHTS], i = 0;
  for (i = 0; i < MOST_FLIGHTS; i++) all[i] = 1;
  if (inside) place->be_there(1);
  complete_all(all);
  if (!inside) place->be_there(0);
}

static void step(void) {
  const int kind = draw(&common, 8);
  struct flight* const place = free_place();
  if (kind == 7 || (kind > 1 && kind < 6 && place == NULL)) {
    clear_places();
  } else if (kind < 2) {
    struct exchange* const exchange = draw_exchange();
    struct flight now = {NULL, MPI_REQUEST_NULL, 0, 0};
    now.exchange = exchange;
    fill(exchange, draw(&common, 8));
    succeeds("a blocking collective", exchange_now(exchange));
    over(&now);
    free_exchange(exchange);
  } else if (kind == 6) {
    start_some();
  } else {
    place->exchange = draw_exchange();
    place->persistent = kind == 5;
    place->request = MPI_REQUEST_NULL;
    fill(place->exchange, draw(&common, 8));
    place->active = !place->persistent;
    if (place->persistent)
      succeeds("a persistent collective", exchange_init(place->exchange, &place->request));
    else
      succeeds("a nonblocking collective", exchange_begin(place->exchange, &place->request));
    free_types(place->exchange);
  }
}

static void run_program(void) {
  int all[MOST_FLIGHTS], i = 0;
  common.state = seed;
  own.state = seed * 1000003 + (unsigned long)rank + 1;
  make_comms();
  for (i = 0; i < STEPS; i++) {
    step();
    dawdle();
    if (draw(&common, 8) == 0) wait_while_others_are_elsewhere();
  }
  for (i = 0; i < MOST_FLIGHTS; i++) all[i] = 1;
  complete_all(all);
  for (i = 0; i < MOST_FLIGHTS; i++) {
    if (flights[i].exchange != NULL) give_up(&flights[i]);
  }
  for (i = 0; i < COMMS; i++) MPI_Comm_free(&comms[i]);
}

int main(int argc, char** argv) {
  const char* const one = getenv("RONDO_TEST_SEED");
  const char* const scale = getenv("RONDO_TEST_SCALE");
  const double programs = PROGRAMS * (scale == NULL ? 1.0 : strtod(scale, NULL));
  unsigned long end = 2 + (unsigned long)programs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  all_are_rondos = argc > 1 && strcmp(argv[1], "all") == 0;
  seed = 1;
  if (one != NULL) seed = strtoul(one, NULL, 10);
  if (one != NULL) end = seed + 1;
  for (; seed < end; seed++) run_program();
  return finish();
}
