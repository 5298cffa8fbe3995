/* Alltoalls on communicators of all kinds; wrong arguments; and that what follows them is right.
 * Usage: alltoalls blocking|nonblocking */
#include <mpi.h>
#include <string.h>

#include "parts/exchange.h"
#include "parts/outcome.h"

static int nonblocking = 0;

static void exchange_all(MPI_Comm comm, const char* where) {
  static int round = 0;
  static const struct variant variants[] = {
      {0, 3, PLAIN, PLAIN, 0, 0},      {0, 40, PLAIN, PLAIN, 0, 0},    {0, 2500, PLAIN, PLAIN, 0, 0},
      {0, 30000, PLAIN, SPACED, 0, 0}, {0, 0, PLAIN, PLAIN, 0, 0},     {0, 0, SPACED, STRIDED, 0, 0},
      {0, 2, STRIDED, SHIFTED, 0, 0},  {0, 5, SHIFTED, PLAIN, 0, 0},   {0, 2, PLAIN, SPACED, 0, 1},
      {0, 4, PLAIN, PLAIN, 1, 0},      {0, 4, SHIFTED, SHIFTED, 1, 0}, {0, 3, STRIDED, STRIDED, 1, 1}};
  const int count = sizeof variants / sizeof *variants;
  int operation = 0, between_groups = 0, i = 0;
  MPI_Comm_test_inter(comm, &between_groups);
  for (operation = ALLTOALL; operation <= ALLTOALLW; operation++) {
    for (i = 0; i < count; i++) {
      struct variant variant = variants[i];
      variant.operation = (enum operation)operation;
      if (between_groups && variant.in_place) continue; /* has no meaning there */
      exchange_once(comm, variant, nonblocking, round++ % 8, where);
    }
  }
}

/* By the other functions that make communicators. */
static void exchange_on_others(MPI_Comm comm) {
  MPI_Comm made[4];
  MPI_Group group = MPI_GROUP_NULL;
  int i = 0;
  MPI_Comm_group(comm, &group);
  MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made[0]);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[1]);
  MPI_Comm_create(comm, group, &made[2]);
  MPI_Comm_create_group(comm, group, 3, &made[3]);
  MPI_Group_free(&group);
  for (i = 0; i < 4; i++) {
    const struct variant variant = {ALLTOALL, 3, PLAIN, SPACED, 0, 0};
    exchange_once(made[i], variant, nonblocking, i, "a communicator made in another way");
    MPI_Comm_free(&made[i]);
  }
}

static void exchange_on_copies(void) {
  MPI_Comm comm = MPI_COMM_NULL, half = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  exchange_all(comm, "a duplicate");
  MPI_Comm_split(comm, rank % 2, -rank, &half);
  exchange_all(half, "a half, backwards");
  MPI_Comm_free(&half);
  exchange_on_others(comm);
  MPI_Comm_free(&comm);
}

static void exchange_between_groups(void) {
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &between);
  exchange_all(between, "an intercommunicator");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

static int handler_calls = 0;
static int handler_class = MPI_SUCCESS;
static MPI_Comm handler_comm;

static void handle(MPI_Comm* comm, int* code, ...) {
  handler_calls++;
  handler_comm = *comm;
  MPI_Error_class(*code, &handler_class);
}

static void expect_class(const char* call, int code, int expected) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  if (found != expected) wrong("%s returned an error of class %d, not %d", call, found, expected);
}

static void expect_handled(const char* call, MPI_Comm comm, int expected) {
  if (handler_calls != 1) wrong("%s called the error handler %d times", call, handler_calls);
  if (handler_calls != 1) return;
  if (handler_comm != comm) wrong("%s called the error handler of another communicator", call);
  if (handler_class != expected) wrong("%s: the handler got class %d, not %d", call, handler_class, expected);
  handler_calls = 0;
}

static int call_with(int count, MPI_Datatype type, MPI_Comm comm) {
  int sent[MOST_BLOCKS] = {0}, received[MOST_BLOCKS];
  MPI_Request request = MPI_REQUEST_NULL;
  if (!nonblocking) return MPI_Alltoall(sent, count, type, received, 1, MPI_INT, comm);
  return MPI_Ialltoall(sent, count, type, received, 1, MPI_INT, comm, &request);
}

static int call_v_with(int count, MPI_Datatype type, MPI_Comm comm) {
  int sent[MOST_BLOCKS] = {0}, received[MOST_BLOCKS], counts[MOST_BLOCKS] = {0}, ones[MOST_BLOCKS] = {0},
      displacements[MOST_BLOCKS] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  counts[0] = count;
  if (!nonblocking)
    return MPI_Alltoallv(sent, counts, displacements, type, received, ones, displacements, MPI_INT, comm);
  return MPI_Ialltoallv(sent, counts, displacements, type, received, ones, displacements, MPI_INT, comm, &request);
}

/* All ranks make the same mistake: no communication takes place. */
static void make_mistakes(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  expect_class("alltoall of -1", call_with(-1, MPI_INT, comm), MPI_ERR_COUNT);
  expect_class("alltoallv of -1", call_v_with(-1, MPI_INT, comm), MPI_ERR_COUNT);
  expect_class("alltoall without a type", call_with(1, MPI_DATATYPE_NULL, comm), MPI_ERR_TYPE);
  expect_class("alltoallv without a type", call_v_with(1, MPI_DATATYPE_NULL, comm), MPI_ERR_TYPE);
  if (handler_calls != 0) wrong("an error handler was called that is not set");
  MPI_Comm_set_errhandler(comm, handler);
  call_with(-1, MPI_INT, comm);
  expect_handled("alltoall of -1", comm, MPI_ERR_COUNT);
  call_v_with(1, MPI_DATATYPE_NULL, comm);
  expect_handled("alltoallv without a type", comm, MPI_ERR_TYPE);
  exchange_all(comm, "after mistakes");
  if (handler_calls != 0) wrong("the error handler was called without an error");
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  nonblocking = argc > 1 && strcmp(argv[1], "nonblocking") == 0;
  MPI_Init(&argc, &argv);
  exchange_all(MPI_COMM_WORLD, "MPI_COMM_WORLD");
  exchange_all(MPI_COMM_SELF, "MPI_COMM_SELF");
  exchange_on_copies();
  exchange_between_groups();
  make_mistakes();
  return finish();
}
