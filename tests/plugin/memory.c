/* Memory by MPI_Alloc_mem: of every size, in messages, in a window, freed in any order. With the argument "shared" it
 * must lie where neighbors on the node can map it, and must be gone when it was freed; without it, children after
 * fork() must have what was written. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parts/outcome.h"
#include "parts/persistent.h"

enum { SIZES = 5, ROUNDS = 20 };

static const MPI_Aint sizes[SIZES] = {0, 1, 4096, 300000, 5000000};

static int mappings(void) {
  char line[1024];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return -1;
  while (fgets(line, sizeof line, maps) != NULL) found += strstr(line, "/memfd:rondo") != NULL;
  fclose(maps);
  return found;
}

static void allocates_and_frees(MPI_Info info) {
  char* memory[SIZES];
  int i, round;
  for (round = 0; round < ROUNDS; ++round) {
    for (i = 0; i < SIZES; ++i) {
      memory[i] = NULL;
      succeeds("MPI_Alloc_mem", MPI_Alloc_mem(sizes[i], info, &memory[i]));
      if (sizes[i] > 0) memset(memory[i], round + i, (size_t)sizes[i]);
    }
    for (i = 0; i < SIZES; ++i) {
      if (sizes[i] > 0 && (memory[i][0] != round + i || memory[i][sizes[i] - 1] != round + i))
        wrong("memory of %ld bytes does not hold what was written", (long)sizes[i]);
    }
    for (i = 0; i < SIZES; ++i) succeeds("MPI_Free_mem", MPI_Free_mem(memory[(i + round) % SIZES]));
  }
}

static void lies_in_segments(void) {
  char* memory = NULL;
  const int before = mappings();
  succeeds("MPI_Alloc_mem", MPI_Alloc_mem(sizes[SIZES - 1], MPI_INFO_NULL, &memory));
  if (mappings() != before + 1) wrong("%d mappings after %d: nobody can map that memory", mappings(), before);
  succeeds("MPI_Free_mem", MPI_Free_mem(memory));
  if (mappings() != before) wrong("%d mappings after %d: it is still there", mappings(), before);
}

static void sends(int rank, int ranks) {
  const int count = 20000;
  int* send = NULL;
  int* recv = NULL;
  int i, j;
  succeeds("MPI_Alloc_mem", MPI_Alloc_mem((MPI_Aint)sizeof(int) * count * ranks, MPI_INFO_NULL, &send));
  succeeds("MPI_Alloc_mem", MPI_Alloc_mem((MPI_Aint)sizeof(int) * count * ranks, MPI_INFO_NULL, &recv));
  for (i = 0; i < count * ranks; ++i) send[i] = rank * 1000000 + i;
  succeeds("MPI_Alltoall", MPI_Alltoall(send, count, MPI_INT, recv, count, MPI_INT, MPI_COMM_WORLD));
  for (j = 0; j < ranks; ++j) {
    for (i = 0; i < count; ++i) {
      if (recv[j * count + i] == j * 1000000 + rank * count + i) continue;
      wrong("element %d of rank %d is %d", i, j, recv[j * count + i]);
      break;
    }
  }
  succeeds("MPI_Free_mem", MPI_Free_mem(recv));
  succeeds("MPI_Free_mem", MPI_Free_mem(send));
}

static void is_a_window(int rank, int ranks) {
  MPI_Win window;
  int* memory = NULL;
  succeeds("MPI_Alloc_mem", MPI_Alloc_mem((MPI_Aint)sizeof(int) * ranks, MPI_INFO_NULL, &memory));
  memory[0] = -1;
  succeeds("MPI_Win_create",
           MPI_Win_create(memory, (MPI_Aint)sizeof(int) * ranks, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  succeeds("MPI_Win_fence", MPI_Win_fence(0, window));
  succeeds("MPI_Put", MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window));
  succeeds("MPI_Win_fence", MPI_Win_fence(0, window));
  if (memory[0] != (rank + ranks - 1) % ranks) wrong("the window has %d", memory[0]);
  succeeds("MPI_Win_free", MPI_Win_free(&window));
  succeeds("MPI_Free_mem", MPI_Free_mem(memory));
}

/* Blocks of more bytes than a slot has, by one operation. */
static void sends_again_and_again(int rank, int ranks) {
  const int count = 100000;
  const MPI_Aint size = (MPI_Aint)sizeof(int) * count * ranks;
  int *send = NULL, *recv = NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int round, i, j;
  succeeds("MPI_Alloc_mem", MPI_Alloc_mem(size, MPI_INFO_NULL, &send));
  succeeds("MPI_Alloc_mem", MPI_Alloc_mem(size, MPI_INFO_NULL, &recv));
  succeeds("MPI_Alltoall_init", PERSISTENT(Alltoall_init)(send, count, MPI_INT, recv, count, MPI_INT, MPI_COMM_WORLD,
                                                          MPI_INFO_NULL, &request));
  for (round = 0; round < 3; ++round) {
    for (i = 0; i < count * ranks; ++i) send[i] = rank * 10000000 + round * 1000000 + i;
    succeeds("MPI_Start", MPI_Start(&request));
    succeeds("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (j = 0; j < ranks; ++j) {
      for (i = 0; i < count; ++i) {
        if (recv[j * count + i] == j * 10000000 + round * 1000000 + rank * count + i) continue;
        wrong("round %d: element %d of rank %d is %d", round, i, j, recv[j * count + i]);
        break;
      }
    }
  }
  succeeds("MPI_Request_free", MPI_Request_free(&request));
  succeeds("MPI_Free_mem", MPI_Free_mem(recv));
  succeeds("MPI_Free_mem", MPI_Free_mem(send));
}

/* A child has what its parent wrote, as MPI's own memory has it. */
static void is_copied_for_children(void) {
  char* memory[SIZES];
  int i, status = 1;
  pid_t child;
  for (i = 0; i < SIZES; ++i) {
    succeeds("MPI_Alloc_mem", MPI_Alloc_mem(sizes[i], MPI_INFO_NULL, &memory[i]));
    if (sizes[i] > 0) memset(memory[i], 'a' + i, (size_t)sizes[i]);
  }
  child = fork();
  if (child == 0) {
    for (i = 0; i < SIZES; ++i) {
      if (sizes[i] > 0 && (memory[i][0] != 'a' + i || memory[i][sizes[i] - 1] != 'a' + i)) _exit(1);
    }
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    wrong("a child does not have what its parent wrote");
  for (i = 0; i < SIZES; ++i) succeeds("MPI_Free_mem", MPI_Free_mem(memory[i]));
}

/* As MPI tells them. */
static void refuses(void) {
  char* memory = NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory) == MPI_SUCCESS) wrong("-1 bytes are allocated");
#if defined(OPEN_MPI) /* MPICH says that it has them */
  if (MPI_Alloc_mem((MPI_Aint)1 << 55, MPI_INFO_NULL, &memory) == MPI_SUCCESS) wrong("2^55 bytes are allocated");
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  allocates_and_frees(MPI_INFO_NULL);
  MPI_Info_create(&info);
  allocates_and_frees(info);
  MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096");
  allocates_and_frees(info);
  MPI_Info_free(&info);
  if (argc > 1 && strcmp(argv[1], "shared") == 0)
    lies_in_segments();
  else
    is_copied_for_children();
  sends(rank, ranks);
  sends_again_and_again(rank, ranks);
  if (ranks > 1) is_a_window(rank, ranks); /* Open MPI cannot make one of a single rank over ob1 */
  refuses();
  return finish();
}
