/* Collectives of one's own from C99: a barrier, a broadcast along a binomial tree and an allreduce, in all forms, and
 * what is refused. Returns 0 when all is right. */
#include <mpi.h>
#include <rondo/own/schedule.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

enum { N = 100 };

static int failures = 0;
static int rank, size;

static void expect(int holds, const char* what) {
  if (holds) return;
  failures++;
  fprintf(stderr, "rank %d: %s\n", rank, what);
}

static void succeeds(int code, const char* what) { expect(code == MPI_SUCCESS, what); }

/* The code is of this class, and the text has the words. */
static void refused(int code, int error_class, const char* words) {
  char text[RONDO_MAX_ERROR_STRING];
  int length = 0;
  Rondo_Error_string(code, text, &length);
  if (code == error_class && strstr(text, words) != NULL) return;
  failures++;
  fprintf(stderr, "rank %d: code %d, \"%s\" instead of \"%s\"\n", rank, code, text, words);
}

/* Each rank hears from ranks 1, 2, 4, ... before it, and passes on what it heard last. */
static Rondo_Schedule barrier(void) {
  Rondo_Schedule schedule = RONDO_SCHEDULE_NULL;
  int far, word, heard;
  succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "my barrier", &schedule), "create");
  succeeds(Rondo_Schedule_send_block(schedule, 0, 1, MPI_BYTE, &word), "send_block");
  for (far = 1; far < size; far *= 2) {
    succeeds(Rondo_Schedule_transit(schedule, 1, &heard), "transit");
    succeeds(Rondo_Schedule_begin_phase(schedule), "begin_phase");
    succeeds(
        Rondo_Schedule_exchange(schedule, (rank + far) % size, 1, &word, (rank + size - far % size) % size, 1, &heard),
        "exchange");
    word = heard;
  }
  succeeds(Rondo_Schedule_commit(schedule, MPI_INFO_NULL), "commit");
  return schedule;
}

/* Rank 0's ints to all, in place. */
static Rondo_Schedule broadcast(void) {
  Rondo_Schedule schedule = RONDO_SCHEDULE_NULL;
  int far, block;
  succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "my broadcast", &schedule), "create");
  succeeds(Rondo_Schedule_set_in_place(schedule), "set_in_place");
  succeeds(Rondo_Schedule_recv_block(schedule, 0, N, MPI_INT, &block), "recv_block");
  if (rank == 0) succeeds(Rondo_Schedule_set_filled(schedule, block), "set_filled");
  for (far = 1; far < size; far *= 2) {
    if (rank < far && rank + far < size) succeeds(Rondo_Schedule_send(schedule, rank + far, 1, &block), "send");
    if (rank >= far && rank < 2 * far) succeeds(Rondo_Schedule_receive(schedule, rank - far, 1, &block), "receive");
  }
  succeeds(Rondo_Schedule_commit(schedule, MPI_INFO_NULL), "commit");
  return schedule;
}

/* The ints of all ranks around a ring, each rank adding all of them. */
static Rondo_Schedule allreduce(MPI_Info info) {
  Rondo_Schedule schedule = RONDO_SCHEDULE_NULL;
  int step, own, result, passing, arriving;
  succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "my allreduce", &schedule), "create");
  succeeds(Rondo_Schedule_set_window(schedule, 1), "set_window");
  succeeds(Rondo_Schedule_set_reduction(schedule, N, MPI_INT, MPI_SUM), "set_reduction");
  succeeds(Rondo_Schedule_send_block(schedule, 0, N, MPI_INT, &own), "send_block");
  succeeds(Rondo_Schedule_recv_block(schedule, 0, N, MPI_INT, &result), "recv_block");
  succeeds(Rondo_Schedule_copy(schedule, 1, &own, &result), "copy");
  passing = own;
  for (step = 1; step < size; step++) {
    succeeds(Rondo_Schedule_operand(schedule, &arriving), "operand");
    succeeds(Rondo_Schedule_begin_exchange(schedule), "begin_exchange");
    succeeds(Rondo_Schedule_send(schedule, (rank + 1) % size, 1, &passing), "send");
    succeeds(Rondo_Schedule_receive(schedule, (rank + size - 1) % size, 1, &arriving), "receive");
    succeeds(Rondo_Schedule_end_exchange(schedule), "end_exchange");
    succeeds(Rondo_Schedule_reduce(schedule, 1, &arriving, &result), "reduce");
    passing = arriving;
  }
  succeeds(Rondo_Schedule_commit(schedule, info), "commit");
  return schedule;
}

static void runs_collectives(void) {
  Rondo_Schedule meet = barrier(), tell = broadcast(), sum;
  Rondo_Request request = RONDO_REQUEST_NULL;
  MPI_Info info;
  int mine[N], all[N], i, start;
  char byte = 0, name[RONDO_MAX_ALGORITHM_NAME];
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_check", "true");
  MPI_Info_set(info, "rondo_messages", "staged");
  sum = allreduce(info);
  MPI_Info_free(&info);
  succeeds(Rondo_Schedule_run(&byte, NULL, meet), "a barrier");
  for (i = 0; i < N; i++) all[i] = rank == 0 ? i : -1;
  succeeds(Rondo_Schedule_run(MPI_IN_PLACE, all, tell), "a broadcast");
  for (i = 0; i < N; i++) expect(all[i] == i, "a broadcast brings what is wrong");
  for (i = 0; i < N; i++) mine[i] = rank + i;
  succeeds(Rondo_Schedule_start(mine, all, sum, &request), "start");
  succeeds(Rondo_Wait(&request, MPI_STATUS_IGNORE), "wait");
  for (i = 0; i < N; i++) expect(all[i] == size * (size - 1) / 2 + size * i, "a sum is wrong");
  succeeds(Rondo_Schedule_init(mine, all, sum, &request), "init");
  succeeds(Rondo_Schedule_free(&sum), "free");
  expect(sum == RONDO_SCHEDULE_NULL, "free leaves the handle");
  for (start = 1; start < 4; start++) {
    for (i = 0; i < N; i++) mine[i] = rank + i + start;
    succeeds(Rondo_Start(&request), "start");
    succeeds(Rondo_Wait(&request, MPI_STATUS_IGNORE), "wait");
    for (i = 0; i < N; i++) expect(all[i] == size * (size - 1) / 2 + size * (i + start), "a sum is wrong");
  }
  succeeds(Rondo_Request_get_algorithm(request, name, &i), "get_algorithm");
  expect(strcmp(name, "own") == 0, name);
  succeeds(Rondo_Request_free(&request), "free");
  succeeds(Rondo_Schedule_free(&meet), "free");
  succeeds(Rondo_Schedule_free(&tell), "free");
}

/* Adds one to each int; fails where the argument says so. */
static int add_one(Rondo_Blocks blocks, void* argument) {
  const int* from = Rondo_Blocks_read(blocks, 0);
  int* to = Rondo_Blocks_write(blocks, 0);
  int i;
  expect(Rondo_Blocks_read(blocks, 1) == NULL && Rondo_Blocks_write(blocks, -1) == NULL, "there are no other blocks");
  for (i = 0; i < N; i++) to[i] = from[i] + 1;
  return *(const int*)argument;
}

/* Each rank's ints plus one to the next, on the driving thread and on a worker. */
static void computes(void) {
  int on_worker;
  for (on_worker = 0; on_worker < 2; on_worker++) {
    Rondo_Schedule schedule = RONDO_SCHEDULE_NULL;
    Rondo_Request request = RONDO_REQUEST_NULL;
    int own, made, got, i, start, code, fails = MPI_SUCCESS;
    int mine[N], theirs[N];
    succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "my ring", &schedule), "create");
    succeeds(Rondo_Schedule_send_block(schedule, 0, N, MPI_INT, &own), "send_block");
    succeeds(Rondo_Schedule_transit(schedule, N * (MPI_Count)sizeof(int), &made), "transit");
    succeeds(Rondo_Schedule_recv_block(schedule, 0, N, MPI_INT, &got), "recv_block");
    succeeds(Rondo_Schedule_compute(schedule, 1, &own, 1, &made, add_one, &fails, "add one", on_worker), "compute");
    succeeds(Rondo_Schedule_exchange(schedule, (rank + 1) % size, 1, &made, (rank + size - 1) % size, 1, &got),
             "exchange");
    succeeds(Rondo_Schedule_commit(schedule, MPI_INFO_NULL), "commit");
    for (i = 0; i < N; i++) mine[i] = 1000 * rank + i;
    succeeds(Rondo_Schedule_init(mine, theirs, schedule, &request), "init");
    for (start = 0; start < 3; start++) {
      fails = start == 1 ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
      memset(theirs, 0, sizeof theirs);
      succeeds(Rondo_Start(&request), "start");
      code = Rondo_Wait(&request, MPI_STATUS_IGNORE);
      if (start == 1) {
        /* Its own, or that of the rank before, whose empty message may come first. */
        refused(code, MPI_ERR_OTHER,
                size == 1 ? "(task 0, phase 0, round 0): its function threw: it returned " : "my ring");
        continue;
      }
      succeeds(code, "wait");
      for (i = 0; i < N; i++) expect(theirs[i] == 1000 * ((rank + size - 1) % size) + i + 1, "one more");
    }
    succeeds(Rondo_Request_free(&request), "free");
    succeeds(Rondo_Schedule_free(&schedule), "free");
  }
  {
    Rondo_Schedule schedule = RONDO_SCHEDULE_NULL;
    int block;
    succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "nothing", &schedule), "create");
    succeeds(Rondo_Schedule_recv_block(schedule, 0, 1, MPI_INT, &block), "recv_block");
    refused(Rondo_Schedule_compute(schedule, 0, NULL, 1, &block, NULL, NULL, NULL, 0), MPI_ERR_ARG,
            "function: is null");
    refused(Rondo_Schedule_compute(schedule, 1, NULL, 1, &block, add_one, NULL, NULL, 0), MPI_ERR_ARG,
            "reads: is null");
    succeeds(Rondo_Schedule_free(&schedule), "free");
  }
}

static void refuses_what_is_wrong(void) {
  Rondo_Schedule schedule = RONDO_SCHEDULE_NULL, freed;
  Rondo_Request request = RONDO_REQUEST_NULL;
  const int none = 7, few = -1;
  int block = 0, value = rank;
  refused(Rondo_Schedule_create(MPI_COMM_NULL, "x", &schedule), MPI_ERR_COMM, "comm: is MPI_COMM_NULL");
  refused(Rondo_Schedule_create(MPI_COMM_WORLD, NULL, &schedule), MPI_ERR_ARG, "name: is null");
  refused(Rondo_Schedule_create(MPI_COMM_WORLD, "x", NULL), MPI_ERR_ARG, "schedule: is null");
  refused(Rondo_Schedule_begin_phase(RONDO_SCHEDULE_NULL), MPI_ERR_ARG, "schedule: is RONDO_SCHEDULE_NULL");

  /* What is wrong while it is built is wrong when it is committed, on all ranks. */
  succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "broken", &schedule), "create");
  if (rank == 0) refused(Rondo_Schedule_send(schedule, size, 0, NULL), MPI_ERR_RANK, "target: is");
  refused(Rondo_Schedule_commit(schedule, MPI_INFO_NULL), rank == 0 ? MPI_ERR_RANK : MPI_ERR_ARG,
          rank == 0 ? "broken: target: is" : "rank 0 of comm was given a bad argument");
  refused(Rondo_Schedule_run(NULL, NULL, schedule), MPI_ERR_ARG, "is not committed");
  freed = schedule;
  succeeds(Rondo_Schedule_free(&schedule), "free");
  refused(Rondo_Schedule_free(&freed), MPI_ERR_ARG, "schedule: was freed");
  refused(Rondo_Schedule_begin_phase(freed), MPI_ERR_ARG, "schedule: was freed");

  succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "refuses", &schedule), "create");
  refused(Rondo_Schedule_send_block(schedule, 0, 1, MPI_INT, NULL), MPI_ERR_ARG, "block: is null");
  refused(Rondo_Schedule_send_block(schedule, 0, -1, MPI_INT, &block), MPI_ERR_COUNT, "count: is -1");
  refused(Rondo_Schedule_send_block(schedule, 0, 1, MPI_DATATYPE_NULL, &block), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  refused(Rondo_Schedule_send(schedule, 0, 1, &none), MPI_ERR_ARG, "send: is no block");
  refused(Rondo_Schedule_send(schedule, 0, 1, &few), MPI_ERR_ARG, "send: is no block");
  refused(Rondo_Schedule_send(schedule, 0, -1, &few), MPI_ERR_ARG, "count: is -1");
  refused(Rondo_Schedule_receive(schedule, 0, 1, NULL), MPI_ERR_ARG, "blocks: is null");
  refused(Rondo_Schedule_operand(schedule, &block), MPI_ERR_ARG, "set_reduction() comes first");
  refused(Rondo_Schedule_set_window(schedule, 0), MPI_ERR_ARG, "exchanges: is 0");
  succeeds(Rondo_Schedule_free(&schedule), "free");

  /* Messages that do not match. */
  succeeds(Rondo_Schedule_create(MPI_COMM_WORLD, "unmatched", &schedule), "create");
  succeeds(Rondo_Schedule_send_block(schedule, 0, 1, MPI_INT, &block), "send_block");
  if (rank == 0) succeeds(Rondo_Schedule_send(schedule, 0, 1, &block), "send");
  refused(Rondo_Schedule_commit(schedule, MPI_INFO_NULL), MPI_ERR_ARG, "message without a partner");
  succeeds(Rondo_Schedule_receive(schedule, rank == 0 ? 0 : MPI_PROC_NULL, 0, NULL), "receive");
  if (rank == 0) {
    succeeds(Rondo_Schedule_recv_block(schedule, 0, 1, MPI_INT, &block), "recv_block");
    succeeds(Rondo_Schedule_receive(schedule, 0, 1, &block), "receive");
  }
  succeeds(Rondo_Schedule_commit(schedule, MPI_INFO_NULL), "commit after all");
  refused(Rondo_Schedule_begin_phase(schedule), MPI_ERR_ARG, "is committed");
  refused(Rondo_Schedule_commit(schedule, MPI_INFO_NULL), MPI_ERR_ARG, "is committed");
  if (rank == 0) refused(Rondo_Schedule_run(&value, NULL, schedule), MPI_ERR_BUFFER, "recv: is null");
  refused(Rondo_Schedule_start(&value, &block, schedule, NULL), MPI_ERR_ARG, "request: is null");
  refused(Rondo_Schedule_init(&value, &block, schedule, NULL), MPI_ERR_ARG, "request: is null");
  expect(request == RONDO_REQUEST_NULL, "a request was made");
  block = -1;
  succeeds(Rondo_Schedule_run(&value, &block, schedule), "run");
  expect(block == (rank == 0 ? 0 : -1), "what a rank sends to itself is wrong");
  succeeds(Rondo_Schedule_free(&schedule), "free");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  runs_collectives();
  computes();
  refuses_what_is_wrong();
  runs_collectives();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
