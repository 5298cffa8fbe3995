#include "host.hpp"

#include <sched.h>

namespace stencil {

Host this_host(MPI_Comm comm) {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int all = 0;
  int ranks = 0;
  MPI_Comm_size(comm, &all);
  MPI_Comm_size(here, &ranks);
  // MPI may have bound every rank to a core: what they may use together counts.
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, here);
  MPI_Comm_free(&here);
  int crowded = ranks > CPU_COUNT(&cores) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MAX, comm);
  return {crowded != 0, ranks == all};
}

}  // namespace stencil
