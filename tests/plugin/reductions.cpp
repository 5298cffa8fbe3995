/* Every predefined datatype with every operation: the result or the error is MPI's own.
 * Usage: reductions */
#include <mpi.h>

#include "tests/support/every_reduction.hpp"

extern "C" {
#include "parts/outcome.h"
#include "parts/persistent.h"
}

using namespace rondo::internal;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const every_reduction::Functions<MPI_Request> functions{MPI_Allreduce,
                                                          MPI_Reduce_scatter_block,
                                                          MPI_Reduce_scatter,
                                                          MPI_Iallreduce,
                                                          MPI_Ireduce_scatter_block,
                                                          MPI_Ireduce_scatter,
                                                          PERSISTENT(Allreduce_init),
                                                          PERSISTENT(Reduce_scatter_block_init),
                                                          PERSISTENT(Reduce_scatter_init),
                                                          MPI_Wait,
                                                          MPI_Start,
                                                          MPI_Request_free};
  every_reduction::run(comm, every_reduction::forms(functions, comm),
                       [](const std::string& text) { wrong("%s", text.c_str()); });
  MPI_Comm_free(&comm);
  return finish();
}
