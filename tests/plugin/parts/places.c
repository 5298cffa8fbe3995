#include "places.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { TAG = 5, LONG = 1 << 17 };

static char long_message[LONG];

static int own_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static int all_ranks(void) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
static int first_peer(void) { return own_rank() == 0 ? 1 : 0; }
static int end_of_peers(void) { return own_rank() == 0 ? all_ranks() : 1; }

static void send_to_peers(void) {
  int word = 0, i = 0;
  for (i = first_peer(); i < end_of_peers(); i++) MPI_Send(&word, 1, MPI_INT, i, TAG, MPI_COMM_WORLD);
}
static void receive_from_peers(int bytes) {
  int i = 0;
  for (i = first_peer(); i < end_of_peers(); i++)
    MPI_Recv(long_message, bytes, MPI_CHAR, i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void in_recv(int inside) {
  if (inside)
    receive_from_peers((int)sizeof(int));
  else
    send_to_peers();
}
static void in_send(int inside) {
  int i = 0;
  if (!inside) receive_from_peers(LONG);
  for (i = first_peer(); inside && i < end_of_peers(); i++)
    MPI_Send(long_message, LONG, MPI_CHAR, i, TAG, MPI_COMM_WORLD);
}
static void in_ssend(int inside) {
  int word = 0, i = 0;
  if (!inside) receive_from_peers((int)sizeof word);
  for (i = first_peer(); inside && i < end_of_peers(); i++) MPI_Ssend(&word, 1, MPI_INT, i, TAG, MPI_COMM_WORLD);
}
static void in_sendrecv(int inside) {
  int sent = 0, received = 0, i = 0;
  (void)inside;
  for (i = first_peer(); i < end_of_peers(); i++)
    MPI_Sendrecv(&sent, 1, MPI_INT, i, TAG, &received, 1, MPI_INT, i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void in_probe(int inside) {
  int i = 0;
  for (i = first_peer(); inside && i < end_of_peers(); i++) MPI_Probe(i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  in_recv(inside);
}
static void in_mprobe(int inside) {
  int word = 0, i = 0;
  if (!inside) send_to_peers();
  for (i = first_peer(); inside && i < end_of_peers(); i++) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(i, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
}
/* The wait is for a request of MPI's own. */
static void in_wait(int inside) {
  int word = 0, i = 0;
  if (!inside) send_to_peers();
  for (i = first_peer(); inside && i < end_of_peers(); i++) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&word, 1, MPI_INT, i, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
static void in_barrier(int inside) {
  (void)inside;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void in_reduce(int inside) {
  const int size = all_ranks();
  int word = 1, sum = 0;
  (void)inside;
  MPI_Reduce(&word, &sum, 1, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD);
  MPI_Bcast(&sum, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
}
static void in_scan(int inside) {
  const int rank = own_rank();
  int word = 1, sum = 0;
  (void)inside;
  MPI_Scan(&word, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(&word, 1, MPI_INT, rank == 0 ? long_message : NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(rank == 0 ? long_message : NULL, 1, MPI_INT, &word, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
static void in_comm_dup(int inside) {
  MPI_Comm made = MPI_COMM_NULL;
  (void)inside;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_free(&made);
}
static void in_comm_split(int inside) {
  const int rank = own_rank();
  MPI_Comm made = MPI_COMM_NULL;
  (void)inside;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &made);
  MPI_Comm_free(&made);
}
static void in_cart_create(int inside) {
  const int size = all_ranks();
  MPI_Comm made = MPI_COMM_NULL;
  const int periodic = 1;
  (void)inside;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &made);
  MPI_Comm_free(&made);
}
static void in_intercomm_create(int inside) {
  const int rank = own_rank();
  MPI_Comm half = MPI_COMM_NULL, made = MPI_COMM_NULL;
  (void)inside;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, TAG, &made);
  MPI_Comm_free(&made);
  MPI_Comm_free(&half);
}
static void in_win_create(int inside) {
  MPI_Win window = MPI_WIN_NULL;
  (void)inside;
  MPI_Win_create(long_message, LONG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_free(&window);
}
static void in_win_fence(int inside) {
  MPI_Win window = MPI_WIN_NULL;
  int word = 0;
  static int target = 0;
  (void)inside;
  MPI_Win_create(&target, sizeof target, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}
static void in_file_open(int inside) {
  long number = (long)getpid();
  char name[64];
  MPI_File file = MPI_FILE_NULL;
  (void)inside;
  MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "elsewhere.%ld", number);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
}

const char* program_to_spawn;
static void in_comm_spawn(int inside) {
  MPI_Comm children = MPI_COMM_NULL;
  (void)inside;
  MPI_Comm_spawn(program_to_spawn, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Comm_disconnect(&children);
}

const struct place spawning = {"MPI_Comm_spawn", in_comm_spawn};
const struct place places[PLACES] = {
    {"MPI_Recv", in_recv},
    {"MPI_Send", in_send},
    {"MPI_Ssend", in_ssend},
    {"MPI_Sendrecv", in_sendrecv},
    {"MPI_Probe", in_probe},
    {"MPI_Mprobe", in_mprobe},
    {"MPI_Wait", in_wait},
    {"MPI_Barrier", in_barrier},
    {"MPI_Reduce", in_reduce},
    {"MPI_Scan", in_scan},
    {"MPI_Comm_dup", in_comm_dup},
    {"MPI_Comm_split", in_comm_split},
    {"MPI_Cart_create", in_cart_create},
    {"MPI_Intercomm_create", in_intercomm_create},
    {"MPI_Win_create", in_win_create},
    {"MPI_Win_fence", in_win_fence},
    {"MPI_File_open", in_file_open},
};
