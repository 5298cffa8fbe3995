/* Buffers that a GPU's driver says are on the device, as CUDA-aware MPIs take them: here memory of the host, and a
 * driver of the test's own. All ranks but rank 0 have such buffers. Usage: device_memory before|later|asked DRIVER
 *   before: the driver is loaded before MPI_Init
 *   later: it is loaded after MPI_Init, and the buffers are those of calls on a communicator that is made afterwards
 *   asked: as before, but the buffers are the host's, as the user has asked for Rondo's collectives nevertheless */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "parts/outcome.h"

enum { CALLS = 40, COUNT = 2048 };

typedef void (*Set)(unsigned long long, unsigned long long, unsigned long long, unsigned long long);

static void load(const char* driver, const int* device, int elements) {
  void* const library = dlopen(driver, RTLD_NOW);
  Set set = NULL;
  if (library != NULL) *(void**)&set = dlsym(library, "fake_cuda_set");
  if (set == NULL) {
    wrong("the driver %s cannot be loaded", driver);
    return;
  }
  set((unsigned long long)device, (unsigned long long)(device + elements), 0, 0);
}

static void sums(int* memory, int rank, int ranks, MPI_Comm comm) {
  int call, i;
  for (call = 0; call < CALLS; ++call) {
    for (i = 0; i < COUNT; ++i) memory[i] = rank + call + i;
    succeeds("MPI_Allreduce", MPI_Allreduce(memory, memory + COUNT, COUNT, MPI_INT, MPI_SUM, comm));
    for (i = 0; i < COUNT; ++i) {
      if (memory[COUNT + i] == ranks * (ranks - 1) / 2 + ranks * (call + i)) continue;
      wrong("call %d: element %d is %d", call, i, memory[COUNT + i]);
      break;
    }
  }
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0;
  const int later = argc > 2 && strcmp(argv[1], "later") == 0;
  const int asked = argc > 2 && strcmp(argv[1], "asked") == 0;
  int* const host = calloc(2 * COUNT, sizeof(int));
  int* const device = calloc(2 * COUNT, sizeof(int));
  MPI_Comm comm = MPI_COMM_NULL;
  if (argc < 3 || host == NULL || device == NULL) return 1;
  if (!later) load(argv[2], device, 2 * COUNT);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sums(later || asked || rank == 0 ? host : device, rank, ranks, MPI_COMM_WORLD);
  if (later) load(argv[2], device, 2 * COUNT);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  sums(asked || rank == 0 ? host : device, rank, ranks, comm);
  MPI_Comm_free(&comm);
  free(device);
  free(host);
  return finish();
}
