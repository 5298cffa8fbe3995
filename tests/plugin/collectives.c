/* Barriers, broadcasts, allgathers, allreduces and reduce-scatters in their three forms, against plain loops; wrong
 * arguments; and operations of the application's own.
 * Usage: collectives */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "parts/layout.h"
#include "parts/outcome.h"
#include "parts/persistent.h"

enum kind { BARRIER, BCAST, ALLGATHER, ALLGATHERV, ALLREDUCE, REDUCE_SCATTER_BLOCK, REDUCE_SCATTER, KINDS };
enum form { BLOCKING, NONBLOCKING, INITIALIZED, FORMS };
enum { MOST_RANKS = 16, PRIME = 10007 };

static const char* const kind_names[KINDS] = {
    "barrier", "bcast", "allgather", "allgatherv", "allreduce", "reduce_scatter_block", "reduce_scatter"};

/* Set by every rank before each barrier, and visible to all. */
static int* entered[MOST_RANKS];

struct variant {
  enum kind kind;
  int pairs;          /* of ints in a block; allgatherv and reduce_scatter: 0, 1 or 2 times as many */
  enum layout layout; /* of broadcasts and allgathers */
  int in_place;
  MPI_Op op; /* of reductions */
  MPI_Datatype element;
};

struct collective {
  struct variant variant;
  MPI_Comm comm;
  int rank, size, root, round;
  int counts[MOST_RANKS], places[MOST_RANKS]; /* in items */
  MPI_Datatype type;
  int *send, *recv, *expected;
  size_t length; /* of each, in ints */
};

static int is_reduction(enum kind kind) { return kind >= ALLREDUCE; }
static int is_irregular(enum kind kind) { return kind == ALLGATHERV || kind == REDUCE_SCATTER; }

/* Element `i` of what a rank contributes. */
static int value(const struct collective* c, int rank, int i) {
  return (rank * 1009 + i * 31 + c->round * 7 + 1) % PRIME;
}

/* Of pairs of ints, which stand for x -> ax + b: one after the other, which is associative and not commutative. */
static void compose(void* before, void* after, int* length, MPI_Datatype* type) {
  const int* x = before;
  int *y = after, i = 0;
  (void)type;
  for (i = 0; i < *length; i++, x += 2, y += 2) {
    y[1] = (int)(((long long)x[1] * y[0] + y[1]) % PRIME);
    y[0] = (int)((long long)x[0] * y[0] % PRIME);
  }
}

/* What all ranks contribute to ints `i` and `i + 1`, combined in the order of ranks. */
static void combine(const struct collective* c, int i, int result[2]) {
  int rank = 0, one = 1, next[2];
  MPI_Datatype type = MPI_DATATYPE_NULL;
  result[0] = value(c, 0, i);
  result[1] = value(c, 0, i + 1);
  for (rank = 1; rank < c->size; rank++) {
    next[0] = value(c, rank, i);
    next[1] = value(c, rank, i + 1);
    if (c->variant.op == MPI_SUM) {
      result[0] += next[0];
      result[1] += next[1];
    } else {
      compose(result, next, &one, &type);
      memcpy(result, next, sizeof next);
    }
  }
}

static int pairs_of(const struct variant* variant, int rank) {
  return is_irregular(variant->kind) ? variant->pairs * (rank % 3) : variant->pairs;
}

static int items_of_rank(const struct collective* c, int rank) {
  const int pairs = pairs_of(&c->variant, rank);
  if (is_reduction(c->variant.kind)) return c->variant.element == MPI_INT ? 2 * pairs : pairs;
  return items_of(c->variant.layout, pairs);
}

/* In ints, from one item to the next. */
static int extent(const struct collective* c) {
  if (is_reduction(c->variant.kind)) return c->variant.element == MPI_INT ? 1 : 2;
  return extent_of(c->variant.layout);
}

static int place(const struct collective* c, int element) {
  return is_reduction(c->variant.kind) ? element : place_of(c->variant.layout, element);
}

static void make(struct collective* c, MPI_Comm comm, struct variant variant) {
  int k = 0, end = 0;
  memset(c, 0, sizeof *c);
  c->variant = variant;
  c->comm = comm;
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->size);
  c->type = is_reduction(variant.kind) ? variant.element : make_type(variant.layout, NULL);
  for (k = 0; k < c->size; k++) {
    c->counts[k] = items_of_rank(c, k);
    c->places[k] = end;
    end += c->counts[k] + (variant.kind == ALLGATHERV ? 1 : 0); /* with gaps, where there may be some */
  }
  c->length = (size_t)(end * extent(c) + 16);
  c->send = malloc(c->length * sizeof(int));
  c->recv = malloc(c->length * sizeof(int));
  c->expected = malloc(c->length * sizeof(int));
  if (c->send == NULL || c->recv == NULL || c->expected == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void discard(struct collective* c) {
  if (!is_reduction(c->variant.kind)) free_type(&c->type);
  free(c->send);
  free(c->recv);
  free(c->expected);
}

/* What `rank` contributes: elements from `first` on, into a block that lies at `memory`. */
static void put(const struct collective* c, int* memory, int rank, int first, int pairs) {
  int i = 0;
  for (i = 0; i < 2 * pairs; i++) memory[place(c, i)] = value(c, rank, first + i);
}

static void put_result(const struct collective* c, int* memory, int first, int pairs) {
  int i = 0;
  for (i = 0; i < 2 * pairs; i += 2) combine(c, first + i, memory + i);
}

/* Buffers before the call, and the receive buffer that is expected after it. */
static void fill(struct collective* c, int round) {
  const enum kind kind = c->variant.kind;
  const int scatters = kind == REDUCE_SCATTER_BLOCK || kind == REDUCE_SCATTER;
  int own = c->places[c->rank] * extent(c), all = 0, k = 0;
  size_t i = 0;
  c->round = round;
  for (i = 0; i < c->length; i++) c->send[i] = c->recv[i] = -1 - (int)i;
  for (k = 0; k < c->size; k++) all += pairs_of(&c->variant, k);
  if (!scatters) all = c->variant.pairs;
  if (kind == BCAST) {
    if (c->rank == c->root) put(c, c->recv, c->root, 0, c->variant.pairs);
  } else if (is_reduction(kind)) {
    put(c, c->variant.in_place ? c->recv : c->send, c->rank, 0, all);
  } else if (kind != BARRIER) {
    put(c, c->variant.in_place ? c->recv + own : c->send, c->rank, 0, pairs_of(&c->variant, c->rank));
  }
  memcpy(c->expected, c->recv, c->length * sizeof(int));
  if (kind == BCAST) put(c, c->expected, c->root, 0, c->variant.pairs);
  if (kind == ALLREDUCE) put_result(c, c->expected, 0, all);
  if (scatters) put_result(c, c->expected, 2 * (own / 2), pairs_of(&c->variant, c->rank));
  if (kind != ALLGATHER && kind != ALLGATHERV) return;
  for (k = 0; k < c->size; k++) put(c, c->expected + c->places[k] * extent(c), k, 0, pairs_of(&c->variant, k));
}

/* In place, a reduce-scatter may leave anything behind its result. */
static size_t checked_length(const struct collective* c) {
  const int scatters = c->variant.kind == REDUCE_SCATTER_BLOCK || c->variant.kind == REDUCE_SCATTER;
  return scatters && c->variant.in_place ? (size_t)(2 * pairs_of(&c->variant, c->rank)) : c->length;
}

static void check(const struct collective* c, const char* where) {
  size_t i = 0;
  for (i = 0; i < checked_length(c); i++) {
    if (c->recv[i] == c->expected[i]) continue;
    wrong("%s: %s of %d pairs%s, round %d: int %d is %d, not %d", where, kind_names[c->variant.kind], c->variant.pairs,
          c->variant.in_place ? " in place" : "", c->round, (int)i, c->recv[i], c->expected[i]);
    return;
  }
}

static int call(struct collective* c, enum form form, MPI_Request* request) {
  const void* const send = c->variant.in_place ? MPI_IN_PLACE : c->send;
  const int own = c->counts[c->rank];
  const MPI_Op op = c->variant.op;
  const MPI_Info none = MPI_INFO_NULL;
#define FORMS_OF(name, lower, ...)                                     \
  (form == BLOCKING      ? MPI_##name(__VA_ARGS__, c->comm)            \
   : form == NONBLOCKING ? MPI_I##lower(__VA_ARGS__, c->comm, request) \
                         : PERSISTENT(name##_init)(__VA_ARGS__, c->comm, none, request))
  switch (c->variant.kind) {
    case BARRIER:
      if (form == BLOCKING) return MPI_Barrier(c->comm);
      return form == NONBLOCKING ? MPI_Ibarrier(c->comm, request) : PERSISTENT(Barrier_init)(c->comm, none, request);
    case BCAST:
      return FORMS_OF(Bcast, bcast, c->recv, own, c->type, c->root);
    case ALLGATHER:
      return FORMS_OF(Allgather, allgather, send, own, c->type, c->recv, own, c->type);
    case ALLGATHERV:
      return FORMS_OF(Allgatherv, allgatherv, send, own, c->type, c->recv, c->counts, c->places, c->type);
    case ALLREDUCE:
      return FORMS_OF(Allreduce, allreduce, send, c->recv, own, c->type, op);
    case REDUCE_SCATTER_BLOCK:
      return FORMS_OF(Reduce_scatter_block, reduce_scatter_block, send, c->recv, own, c->type, op);
    case REDUCE_SCATTER:
      return FORMS_OF(Reduce_scatter, reduce_scatter, send, c->recv, c->counts, c->type, op);
    default:
      return MPI_ERR_ARG;
  }
}

/* A barrier is over when all are in it. */
static void enter(const struct collective* c, int number) {
  if (c->variant.kind == BARRIER) __atomic_store_n(entered[c->rank], number, __ATOMIC_SEQ_CST);
}

static void check_entered(const struct collective* c, int number, const char* where) {
  int k = 0;
  if (c->variant.kind != BARRIER) return;
  for (k = 0; k < c->size; k++) {
    if (__atomic_load_n(entered[k], __ATOMIC_SEQ_CST) - number < 0)
      wrong("%s: rank %d had not come to barrier %d when it was over", where, k, number);
  }
}

/* What is started goes on while its rank is in another call of MPI, or else its peers wait for ever. */
static void wait_with_others(const struct collective* c, MPI_Request* request) {
  int token = 0;
  if (c->rank == 0 && c->size > 1) MPI_Recv(&token, 1, MPI_INT, c->size - 1, 11, c->comm, MPI_STATUS_IGNORE);
  succeeds("MPI_Wait", MPI_Wait(request, MPI_STATUS_IGNORE));
  if (c->rank == c->size - 1 && c->size > 1) MPI_Send(&token, 1, MPI_INT, 0, 11, c->comm);
}

static void do_once(MPI_Comm comm, struct variant variant, enum form form, int world, const char* where) {
  static int number = 0;
  struct collective c;
  MPI_Request request = MPI_REQUEST_NULL;
  int round = 0;
  const int rounds = form == INITIALIZED ? 3 : 1;
  make(&c, comm, variant);
  c.root = (variant.pairs + number) % c.size;
  if (form == INITIALIZED) succeeds(where, call(&c, form, &request));
  for (round = 0; round < rounds; round++) {
    if (world) enter(&c, ++number);
    fill(&c, round + (int)form);
    if (form == INITIALIZED)
      succeeds("MPI_Start", MPI_Start(&request));
    else
      succeeds(where, call(&c, form, &request));
    if (form != BLOCKING) wait_with_others(&c, &request);
    if (world) check_entered(&c, number, where);
    check(&c, where);
  }
  if (form == INITIALIZED) succeeds("MPI_Request_free", MPI_Request_free(&request));
  discard(&c);
}

static void do_all(MPI_Comm comm, int world, MPI_Op composition, MPI_Datatype pair, const char* where) {
  static const int pairs[] = {0, 1, 3, 40, 3000};
  int kind = 0, form = 0, i = 0, turn = 0;
  for (kind = 0; kind < KINDS; kind++) {
    for (form = 0; form < FORMS; form++) {
      for (i = 0; i < 5; i++, turn++) {
        struct variant variant = {(enum kind)kind, pairs[i], turn % 2 ? SPACED : PLAIN, 0, MPI_SUM, MPI_INT};
        do_once(comm, variant, (enum form)form, world, where);
        variant.in_place = kind != BARRIER && kind != BCAST;
        variant.op = composition;
        variant.element = pair;
        if (kind != BARRIER) do_once(comm, variant, (enum form)form, world, where);
      }
    }
  }
}

static void expect_class(const char* what, int code, int expected) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  if (found != expected) wrong("%s returned an error of class %d, not %d", what, found, expected);
}

/* All ranks make the same mistake: no communication takes place. */
static void make_mistakes(void) {
  int sent[MOST_RANKS] = {0}, received[MOST_RANKS] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  expect_class("bcast of -1", MPI_Bcast(sent, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
  expect_class("bcast from nobody", MPI_Bcast(sent, 1, MPI_INT, MOST_RANKS, comm), MPI_ERR_ROOT);
  expect_class("bcast without a type", MPI_Bcast(sent, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE);
  expect_class("iallreduce without an operation",
               MPI_Iallreduce(sent, received, 1, MPI_INT, MPI_OP_NULL, comm, &request), MPI_ERR_OP);
  expect_class("allgather of -1", MPI_Allgather(sent, -1, MPI_INT, received, 1, MPI_INT, comm), MPI_ERR_COUNT);
  MPI_Comm_free(&comm);
}

/* Operations that take the handle of one that was freed: they need not be as commutative. */
static void free_operations(MPI_Datatype pair) {
  int commutative = 0;
  for (commutative = 1; commutative >= 0; commutative--) {
    const struct variant variant = {ALLREDUCE, 2, PLAIN, 0, MPI_OP_NULL, pair};
    struct variant composed = variant;
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(compose, commutative, &op);
    composed.op = op;
    if (!commutative) {
      do_once(MPI_COMM_WORLD, composed, BLOCKING, 0, "an operation with another's handle");
    } else {
      struct collective c; /* it is not commutative in truth: only that it is done */
      make(&c, MPI_COMM_WORLD, composed);
      fill(&c, 0);
      succeeds("MPI_Allreduce", call(&c, BLOCKING, NULL));
      discard(&c);
    }
    MPI_Op_free(&op);
  }
}

static void do_between_groups(int rank) {
  const int half_number = rank % 2;
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  int mine = half_number + 1, theirs = 0, members = 0;
  MPI_Comm_split(MPI_COMM_WORLD, half_number, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - half_number, 7, &between);
  MPI_Comm_remote_size(between, &members);
  succeeds("MPI_Allreduce", MPI_Allreduce(&mine, &theirs, 1, MPI_INT, MPI_SUM, between));
  if (theirs != members * (2 - half_number)) wrong("an intercommunicator's allreduce has %d", theirs);
  succeeds("MPI_Barrier", MPI_Barrier(between));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

static void share_entries(MPI_Win* window) {
  int size = 0, k = 0, unit = 0, *own = NULL;
  MPI_Aint bytes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, window);
  *own = 0;
  for (k = 0; k < size; k++) MPI_Win_shared_query(*window, k, &bytes, &unit, &entered[k]);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Op composition = MPI_OP_NULL;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Win window = MPI_WIN_NULL;
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &composition);
  share_entries(&window);
  do_all(MPI_COMM_WORLD, 1, composition, pair, "MPI_COMM_WORLD");
  do_all(MPI_COMM_SELF, 0, composition, pair, "MPI_COMM_SELF");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  do_all(half, 0, composition, pair, "a half, backwards");
  if (size > 1) do_between_groups(rank);
  free_operations(pair);
  make_mistakes();
  MPI_Comm_free(&half);
  MPI_Op_free(&composition);
  MPI_Type_free(&pair);
  MPI_Win_free(&window);
  return finish();
}
