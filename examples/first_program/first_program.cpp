// The first program: every process of a torus tells its eight neighbors its rank.
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    std::vector<int> sizes(2, 0);
    MPI_Dims_create(p, 2, sizes.data());

    rondo::CartComm torus(MPI_COMM_WORLD, sizes, rondo::moore(2, 1));
    const std::vector<int> send(8, torus.rank());
    std::vector<int> recv(8);
    torus.alltoall(send, recv);

    std::printf("rank %d hears from", torus.rank());
    for (const int rank : recv) std::printf(" %d", rank);
    std::printf("\n");
  }
  MPI_Finalize();
}
