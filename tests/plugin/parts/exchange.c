#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"

const char* const operation_names[OPERATIONS] = {"alltoall",           "alltoallv",          "alltoallw",
                                                 "neighbor_alltoall",  "neighbor_alltoallv", "neighbor_alltoallw",
                                                 "neighbor_allgather", "neighbor_allgatherv"};

static int is_allgather(enum operation operation) {
  return operation == NEIGHBOR_ALLGATHER || operation == NEIGHBOR_ALLGATHERV;
}

static int is_w(enum operation operation) { return operation == ALLTOALLW || operation == NEIGHBOR_ALLTOALLW; }

static int is_regular(enum operation operation) {
  return operation == ALLTOALL || operation == NEIGHBOR_ALLTOALL || operation == NEIGHBOR_ALLGATHER;
}

/* Sender and receiver both know how much is sent. */
static int pairs_of(const struct variant* variant, int source, int block) {
  return is_regular(variant->operation) ? variant->pairs : variant->pairs * ((2 * source + block + variant->pairs) % 3);
}

/* The block of its sender that an arriving block is. */
static int block_of(const struct exchange* exchange, int k) {
  return is_allgather(exchange->variant.operation) ? 0 : exchange->hood.source_block[k];
}

/* Blocks of v and w lie in memory from the last to the first, with a gap between them. */
static void place_blocks(struct side* side, const struct variant* variant) {
  const int regular = is_regular(variant->operation), margin = 8;
  int place = 0, i = 0;
  for (i = 0; i < side->blocks; i++) {
    const int k = regular ? i : side->blocks - 1 - i;
    const int extent = extent_of(side->layouts[k]);
    side->places[k] = place;
    place += side->counts[k] * extent + (regular ? 0 : is_w(variant->operation) ? margin + 1 : extent);
  }
  side->length = (size_t)(place + 2 * margin);
  side->memory = malloc(side->length * sizeof(int));
  side->expected = malloc(side->length * sizeof(int));
  if (side->memory == NULL || side->expected == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  side->begin = side->memory + margin;
}

static void make_arguments(struct side* side, const struct variant* variant) {
  int k = 0;
  side->type_count = is_w(variant->operation) ? side->blocks : 1;
  side->buffer = variant->at_bottom ? MPI_BOTTOM : (void*)side->begin;
  for (k = 0; k < side->blocks; k++) {
    side->addresses[k] = (MPI_Aint)sizeof(int) * side->places[k];
    side->displacements[k] =
        is_w(variant->operation) ? (int)side->addresses[k] : side->places[k] / extent_of(side->layouts[k]);
  }
  for (k = 0; k < side->type_count; k++)
    side->types[k] = make_type(side->layouts[k], variant->at_bottom ? side->begin : NULL);
}

/* An exchange of no blocks has a type as well. */
static void set_layouts(struct side* side, const struct variant* variant, int first) {
  int k = 0;
  for (k = 0; k < MOST_BLOCKS; k++)
    side->layouts[k] = (enum layout)((first + (is_w(variant->operation) ? k : 0)) % LAYOUTS);
}

static void set_block(struct side* side, int k, int pairs) {
  side->ints[k] = 2 * pairs;
  side->counts[k] = items_of(side->layouts[k], pairs);
}

/* In place, what two ranks send each other must be alike. */
static void set_blocks_in_place(struct exchange* exchange) {
  const struct variant* variant = &exchange->variant;
  const int rank = exchange->hood.source_block[0];
  int k = 0;
  set_layouts(&exchange->received, variant, (int)variant->received_as + rank);
  for (k = 0; k < exchange->received.blocks; k++)
    set_block(&exchange->received, k,
              is_regular(variant->operation) ? variant->pairs : variant->pairs * ((rank + k) % 3));
}

static void set_blocks(struct exchange* exchange) {
  const struct variant* variant = &exchange->variant;
  const struct neighborhood* hood = &exchange->hood;
  int k = 0;
  set_layouts(&exchange->sent, variant, variant->sent_as);
  set_layouts(&exchange->received, variant, variant->received_as);
  for (k = 0; k < exchange->sent.blocks; k++) set_block(&exchange->sent, k, pairs_of(variant, hood->me, k));
  for (k = 0; k < exchange->received.blocks; k++) {
    /* where nothing arrives there is room for something */
    const int source = hood->source[k] == MPI_PROC_NULL ? 1 : hood->source[k];
    set_block(&exchange->received, k, pairs_of(variant, source, block_of(exchange, k)));
  }
  if (is_regular(variant->operation)) { /* the count, also with no neighbors */
    exchange->sent.counts[0] = items_of(variant->sent_as, variant->pairs);
    exchange->received.counts[0] = items_of(variant->received_as, variant->pairs);
  }
}

struct exchange* make_exchange(MPI_Comm comm, struct variant variant) {
  struct exchange* exchange = calloc(1, sizeof *exchange);
  if (exchange == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
  }
  exchange->comm = comm;
  exchange->variant = variant;
  exchange->hood = variant.operation < FIRST_NEIGHBOR_OPERATION ? all_of(comm) : neighbors_of(comm);
  exchange->sent.blocks = is_allgather(variant.operation) ? 1 : exchange->hood.targets;
  exchange->received.blocks = exchange->hood.sources;
  set_blocks(exchange);
  if (variant.in_place) set_blocks_in_place(exchange);
  place_blocks(&exchange->sent, &variant);
  place_blocks(&exchange->received, &variant);
  make_arguments(&exchange->sent, &variant);
  make_arguments(&exchange->received, &variant);
  if (variant.in_place) { /* what else is said of the send side means nothing, and need not be alike */
    int k = 0;
    exchange->sent.buffer = MPI_IN_PLACE;
    for (k = 0; k < MOST_BLOCKS; k++) exchange->sent.counts[k] = 5 + 900 * (exchange->hood.me % 2);
  }
  return exchange;
}

static int number(int round, int source, int block, int element) {
  return ((((round << 3) + source) << 6) + block) * (1 << 18) + element;
}

static void put_block(int* memory, const struct side* side, int k, int first) {
  int* begin = memory + (side->begin - side->memory) + side->places[k];
  int element = 0;
  for (element = 0; element < side->ints[k]; element++) begin[place_of(side->layouts[k], element)] = first + element;
}

void fill(struct exchange* exchange, int round) {
  struct side *sent = &exchange->sent, *received = &exchange->received;
  const int in_place = exchange->variant.in_place;
  size_t i = 0;
  int k = 0;
  /* negative where nothing is sent from and nothing may arrive */
  for (i = 0; i < sent->length; i++) sent->memory[i] = -(1 << 29) - (int)i;
  for (i = 0; i < received->length; i++) received->memory[i] = -1 - (int)i;
  memcpy(received->expected, received->memory, received->length * sizeof(int));
  for (k = 0; k < sent->blocks; k++)
    put_block(in_place ? received->memory : sent->memory, in_place ? received : sent, k,
              number(round, exchange->hood.me, k, 0));
  memcpy(sent->expected, sent->memory, sent->length * sizeof(int));
  for (k = 0; k < received->blocks; k++) {
    if (exchange->hood.source[k] == MPI_PROC_NULL) continue;
    put_block(received->expected, received, k, number(round, exchange->hood.source[k], block_of(exchange, k), 0));
  }
}

static void check_side(const struct side* side, const struct variant* variant, const char* what, const char* where) {
  size_t i = 0;
  if (memcmp(side->memory, side->expected, side->length * sizeof(int)) == 0) return;
  while (side->memory[i] == side->expected[i]) i++;
  wrong("%s, %s of %d pairs, layouts %d and %d%s%s: int %d of %d in the buffer %s is %x, not %x", where,
        operation_names[variant->operation], variant->pairs, (int)variant->sent_as, (int)variant->received_as,
        variant->in_place ? ", in place" : "", variant->at_bottom ? ", at the bottom" : "",
        (int)(&side->memory[i] - side->begin), (int)side->length, what, (unsigned)side->memory[i],
        (unsigned)side->expected[i]);
}

void check(const struct exchange* exchange, const char* where) {
  check_side(&exchange->received, &exchange->variant, "received", where);
  check_side(&exchange->sent, &exchange->variant, "sent", where);
}

/* The array stays as it is: an operation in flight may read it. */
static void free_types_of(struct side* side) {
  while (side->type_count > 0) {
    MPI_Datatype type = side->types[--side->type_count];
    free_type(&type);
  }
}

void free_types(struct exchange* exchange) {
  free_types_of(&exchange->sent);
  free_types_of(&exchange->received);
}

static void free_memory(struct side* side) {
  free(side->memory);
  free(side->expected);
}

void free_exchange(struct exchange* exchange) {
  free_types(exchange);
  free_memory(&exchange->sent);
  free_memory(&exchange->received);
  free(exchange);
}
