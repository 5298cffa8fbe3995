/* MPI's progress rule: operations that all ranks have started end on the ranks that wait for them, while the others are
 * inside of a function of MPI's that ends only afterwards. Goes through all kinds of operations in their nonblocking
 * and their persistent forms, so many at once, or so many starts ahead, that lanes and slots are full, and through the
 * functions of MPI's that block. If the rule is broken, the program does not end.
 * RONDO_TEST_SCALE=1 or more: each operation with each function; below that, with one of them.
 * Usage: elsewhere */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/exchange.h"
#include "parts/outcome.h"
#include "parts/persistent.h"
#include "parts/places.h"

enum { FLIGHTS = 12, AHEAD = 20 };
enum form { NONBLOCKING, INITIALIZED, FORMS };

static int rank = 0, size = 0;
/* Collectives of all processes that parts/exchange.h does not have. Block i of a rank's is all (rank + round + i). */
enum dense { BARRIER, BCAST, ALLGATHER, ALLREDUCE, REDUCE_SCATTER_BLOCK, DENSE_KINDS };
static const char* const dense_names[DENSE_KINDS] = {"barrier", "bcast", "allgather", "allreduce",
                                                     "reduce_scatter_block"};
enum { KINDS = DENSE_KINDS + OPERATIONS + 1 };

/* An operation with its buffers: an exchange, or a dense collective. */
struct job {
  struct exchange* exchange;
  enum dense kind;
  int ints; /* in a block */
  int round;
  int *send, *recv;
  MPI_Request request;
};

static MPI_Comm torus, one_way;

static const char* kind_name(int kind) {
  if (kind < DENSE_KINDS) return dense_names[kind];
  return kind < DENSE_KINDS + OPERATIONS ? operation_names[kind - DENSE_KINDS] : "one-way neighbor_alltoall";
}

static void make_job(struct job* job, int kind, int ints) {
  struct variant variant = {ALLTOALL, ints / 2, PLAIN, PLAIN, 0, 0};
  memset(job, 0, sizeof *job);
  job->ints = ints;
  job->request = MPI_REQUEST_NULL;
  if (kind >= DENSE_KINDS) {
    MPI_Comm comm = MPI_COMM_WORLD;
    variant.operation = NEIGHBOR_ALLTOALL;
    if (kind < DENSE_KINDS + OPERATIONS) variant.operation = (enum operation)(kind - DENSE_KINDS);
    if (variant.operation >= FIRST_NEIGHBOR_OPERATION) comm = kind < DENSE_KINDS + OPERATIONS ? torus : one_way;
    job->exchange = make_exchange(comm, variant);
    return;
  }
  job->kind = (enum dense)kind;
  job->send = malloc(sizeof(int) * (size_t)(ints * size));
  job->recv = malloc(sizeof(int) * (size_t)(ints * size));
  if (job->send == NULL || job->recv == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill_job(struct job* job, int round) {
  int i = 0;
  if (job->exchange != NULL) {
    fill(job->exchange, round % 8);
    return;
  }
  job->round = round;
  for (i = 0; i < job->ints * size; i++) {
    job->send[i] = rank + round + i / job->ints;
    job->recv[i] = job->kind == BCAST && rank == 0 ? round : -1;
  }
}

static void begin_job(struct job* job, enum form form) {
  int *const s = job->send, *const r = job->recv, n = job->ints;
  MPI_Request* const q = &job->request;
  const MPI_Comm world = MPI_COMM_WORLD;
  int code = MPI_SUCCESS;
  if (job->exchange != NULL) {
    code = form == NONBLOCKING ? exchange_begin(job->exchange, q) : exchange_init(job->exchange, q);
  } else if (form == NONBLOCKING) {
    switch (job->kind) {
      case BARRIER:
        code = MPI_Ibarrier(world, q);
        break;
      case BCAST:
        code = MPI_Ibcast(r, n, MPI_INT, 0, world, q);
        break;
      case ALLGATHER:
        code = MPI_Iallgather(s, n, MPI_INT, r, n, MPI_INT, world, q);
        break;
      case ALLREDUCE:
        code = MPI_Iallreduce(s, r, n, MPI_INT, MPI_SUM, world, q);
        break;
      default:
        code = MPI_Ireduce_scatter_block(s, r, n, MPI_INT, MPI_SUM, world, q);
        break;
    }
  } else {
    const MPI_Info none = MPI_INFO_NULL;
    switch (job->kind) {
      case BARRIER:
        code = PERSISTENT(Barrier_init)(world, none, q);
        break;
      case BCAST:
        code = PERSISTENT(Bcast_init)(r, n, MPI_INT, 0, world, none, q);
        break;
      case ALLGATHER:
        code = PERSISTENT(Allgather_init)(s, n, MPI_INT, r, n, MPI_INT, world, none, q);
        break;
      case ALLREDUCE:
        code = PERSISTENT(Allreduce_init)(s, r, n, MPI_INT, MPI_SUM, world, none, q);
        break;
      default:
        code = PERSISTENT(Reduce_scatter_block_init)(s, r, n, MPI_INT, MPI_SUM, world, none, q);
        break;
    }
  }
  succeeds("a collective", code);
}

static void check_job(const struct job* job, const char* where) {
  int i = 0, blocks = job->kind == ALLGATHER ? size : job->kind == BARRIER ? 0 : 1;
  if (job->exchange != NULL) {
    check(job->exchange, where);
    return;
  }
  for (i = 0; i < job->ints * blocks; i++) {
    const int of_all = size * job->round + size * (size - 1) / 2;
    const int expected = job->kind == BCAST       ? job->round
                         : job->kind == ALLGATHER ? i / job->ints + job->round
                         : job->kind == ALLREDUCE ? of_all
                                                  : of_all + size * rank;
    if (job->recv[i] == expected) continue;
    wrong("%s: int %d is %d, expected %d", where, i, job->recv[i], expected);
    return;
  }
}

static void free_job(struct job* job) {
  if (job->exchange != NULL) free_exchange(job->exchange);
  free(job->send);
  free(job->recv);
}

/* All ranks start so many at once, persistent ones of the same kind, too. Some are elsewhere then. */
static void start_many(int kind, enum form form, int ints, const struct place* place, int rank_0_is_elsewhere) {
  struct job jobs[FLIGHTS];
  MPI_Request requests[FLIGHTS];
  char where[200];
  const int elsewhere = (rank == 0) == rank_0_is_elsewhere;
  int i = 0, round = 0;
  snprintf(where, sizeof where, "%s, %s, %d ints, %s is in %s", kind_name(kind),
           form == NONBLOCKING ? "nonblocking" : "persistent", ints, rank_0_is_elsewhere ? "rank 0" : "all but rank 0",
           place->name);
  for (i = 0; i < FLIGHTS; i++) {
    make_job(&jobs[i], kind, ints);
    if (form == INITIALIZED) begin_job(&jobs[i], form);
  }
  for (round = 0; round < 2; round++) {
    for (i = 0; i < FLIGHTS; i++) {
      fill_job(&jobs[i], round + i);
      if (form == NONBLOCKING)
        begin_job(&jobs[i], form);
      else
        succeeds("MPI_Start", MPI_Start(&jobs[i].request));
      requests[i] = jobs[i].request;
    }
    if (elsewhere) place->be_there(1);
    succeeds("MPI_Waitall", MPI_Waitall(FLIGHTS, requests, MPI_STATUSES_IGNORE));
    if (!elsewhere) place->be_there(0);
    for (i = 0; i < FLIGHTS; i++) check_job(&jobs[i], where);
  }
  for (i = 0; i < FLIGHTS; i++) {
    if (form == INITIALIZED) MPI_Request_free(&jobs[i].request);
    free_job(&jobs[i]);
  }
}

/* Long enough for rank 0 to get ahead. */
static void wait_a_moment(void) {
  const double since = MPI_Wtime();
  while (MPI_Wtime() - since < 0.02) sched_yield();
}

/* Rank 0 starts a persistent one again and again, as far ahead of the others as it may be, and is elsewhere after its
 * last start. */
static void start_ahead(int kind, int ints, const struct place* place) {
  struct job job;
  char where[200];
  int round = 0;
  snprintf(where, sizeof where, "%s, %d ints, ahead of others, in %s", kind_name(kind), ints, place->name);
  make_job(&job, kind, ints);
  begin_job(&job, INITIALIZED);
  if (rank != 0) wait_a_moment();
  for (round = 0; round < AHEAD; round++) {
    fill_job(&job, round);
    succeeds("MPI_Start", MPI_Start(&job.request));
    if (rank == 0 && round == AHEAD - 1) place->be_there(1);
    succeeds("MPI_Wait", MPI_Wait(&job.request, MPI_STATUS_IGNORE));
    check_job(&job, where);
  }
  if (rank != 0) place->be_there(0);
  MPI_Request_free(&job.request);
  free_job(&job);
}

static void make_comms(void) {
  const int periodic[2] = {1, 1};
  int sizes[2] = {0, 0}, next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Dims_create(size, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &torus);
  /* The last rank sends to nobody: no message comes back that would tell rank 0 how far the others are. */
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &previous, MPI_UNWEIGHTED, rank < size - 1, &next,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &one_way);
}

/* Returns whether this process was started by others, which are inside of MPI_Comm_spawn. */
static int is_child(void) {
  MPI_Comm parents = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parents);
  if (parents == MPI_COMM_NULL) return 0;
  MPI_Comm_disconnect(&parents);
  return 1;
}

int main(int argc, char** argv) {
  static const int ints[] = {2, 1024, 16384};
  const char* const scale = getenv("RONDO_TEST_SCALE");
  const int all_places = scale == NULL || strtod(scale, NULL) >= 1;
  int kind = 0, form = 0, k = 0, i = 0, next = 0;
  MPI_Init(&argc, &argv);
  if (is_child()) return finish();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  make_comms();
  for (kind = 0; kind < KINDS; kind++) {
    for (k = 0; k < (int)(sizeof ints / sizeof *ints); k++) {
      for (i = 0; i < (all_places ? PLACES : 1); i++) {
        for (form = 0; form < FORMS; form++) {
          start_many(kind, (enum form)form, ints[k], &places[next++ % PLACES], 0);
          start_many(kind, (enum form)form, ints[k], &places[next++ % PLACES], 1);
        }
        start_ahead(kind, ints[k], &places[next++ % PLACES]);
      }
    }
  }
#ifdef OPEN_MPI
  /* Which makes no progress of its own there: no more messages than lanes have room for. Debian's MPICH cannot spawn.
   */
  program_to_spawn = argv[0];
  start_many(DENSE_KINDS + ALLTOALL, NONBLOCKING, ints[1], &spawning, 1);
#endif
  MPI_Comm_free(&torus);
  MPI_Comm_free(&one_way);
  return finish();
}
