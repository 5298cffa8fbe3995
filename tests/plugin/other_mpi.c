/* A program of the MPI that the plug-in was not built for. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) puts(sum == 1 ? "no errors" : "a wrong sum");
  return 0;
}
