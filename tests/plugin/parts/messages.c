#include "messages.h"

#include "outcome.h"

static int number(int rank, int round, int tag, int i) { return ((rank * 8 + round) * 256 + tag) * 16 + i; }

void set_message(struct message* message, MPI_Comm comm, int tag, int round) {
  int rank = 0, size = 0, i = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  message->comm = comm;
  message->tag = tag;
  message->left = (rank + size - 1) % size;
  message->right = (rank + 1) % size;
  for (i = 0; i < MESSAGE_COUNT; i++) message->sent[i] = number(rank, round, tag, i);
  for (i = 0; i < MESSAGE_COUNT + 2; i++) message->received[i] = -1;
}

struct slot receive_slot(const struct message* message, int persistent) {
  const struct slot slot = {1, persistent, FILLED, message->left, message->tag, MESSAGE_COUNT};
  return slot;
}

struct slot send_slot(int persistent) {
  const struct slot slot = {1, persistent, UNDEFINED, 0, 0, 0};
  return slot;
}

void check_message(const struct message* message, int round, const char* where) {
  int i = 0;
  for (i = 0; i < MESSAGE_COUNT + 2; i++) {
    const int expected = i < MESSAGE_COUNT ? number(message->left, round, message->tag, i) : -1;
    if (message->received[i] != expected)
      wrong("%s: int %d of message %d is %d, not %d", where, i, message->tag, message->received[i], expected);
  }
}
