/* One collective of an application, with its buffers, and what must be in them afterwards. */
#ifndef RONDO_TESTS_PLUGIN_EXCHANGE_H
#define RONDO_TESTS_PLUGIN_EXCHANGE_H

#include <mpi.h>
#include <stddef.h>

#include "layout.h"
#include "neighborhood.h"

enum operation {
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  NEIGHBOR_ALLTOALL,
  NEIGHBOR_ALLTOALLV,
  NEIGHBOR_ALLTOALLW,
  NEIGHBOR_ALLGATHER,
  NEIGHBOR_ALLGATHERV,
  OPERATIONS,
  FIRST_NEIGHBOR_OPERATION = NEIGHBOR_ALLTOALL
};

extern const char* const operation_names[OPERATIONS];

struct variant {
  enum operation operation;
  int pairs;                        /* of ints in a block; v and w: 0, 1 or 2 times as many */
  enum layout sent_as, received_as; /* w: of the first block, and the next ones in turn */
  int in_place;
  int at_bottom; /* MPI_BOTTOM, and the addresses in the types */
};

struct side {
  int blocks;
  enum layout layouts[MOST_BLOCKS];
  int ints[MOST_BLOCKS];
  int places[MOST_BLOCKS]; /* of the blocks' addresses, in ints */
  int *memory, *begin;     /* all of it, and from where places count */
  int* expected;           /* of all of it */
  size_t length;
  /* the call's arguments */
  void* buffer;
  int counts[MOST_BLOCKS];
  int displacements[MOST_BLOCKS];
  MPI_Aint addresses[MOST_BLOCKS]; /* in bytes: w of neighbors */
  MPI_Datatype types[MOST_BLOCKS]; /* all but w: only the first */
  int type_count;
};

struct exchange {
  MPI_Comm comm;
  struct neighborhood hood;
  struct variant variant;
  struct side sent, received;
};

/* Neighbor operations are collective here, as they find out who their neighbors are. */
struct exchange* make_exchange(MPI_Comm comm, struct variant variant);

/* Fills the buffers with data that nobody else sends, and no other round, of which there are eight. */
void fill(struct exchange* exchange, int round);

/* Compares every int of both buffers. */
void check(const struct exchange* exchange, const char* where);

/* MPI keeps what an operation in flight needs. */
void free_types(struct exchange* exchange);

/* Frees all, the types as well if that was not done. */
void free_exchange(struct exchange* exchange);

/* The call itself, in its three forms. */
int exchange_now(struct exchange* exchange);
int exchange_begin(struct exchange* exchange, MPI_Request* request);
int exchange_init(struct exchange* exchange, MPI_Request* request);

/* One exchange, blocking or started and waited for after its types were freed, filled and checked. */
void exchange_once(MPI_Comm comm, struct variant variant, int nonblocking, int round, const char* where);

#endif
