/* Point-to-point messages round a ring, as neighbors of collectives in arrays of requests. */
#ifndef RONDO_TESTS_PLUGIN_MESSAGES_H
#define RONDO_TESTS_PLUGIN_MESSAGES_H

#include <mpi.h>

#include "mixture.h"

enum { MESSAGE_COUNT = 6 };

struct message {
  MPI_Comm comm;
  int tag, left, right;
  int sent[MESSAGE_COUNT], received[MESSAGE_COUNT + 2]; /* with room for more than arrives */
};

void set_message(struct message* message, MPI_Comm comm, int tag, int round);

/* How a receive and a send of it are listed, when they are in flight. */
struct slot receive_slot(const struct message* message, int persistent);
struct slot send_slot(int persistent);

void check_message(const struct message* message, int round, const char* where);

#endif
