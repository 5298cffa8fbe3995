#include <mpi.h>
#include <rondo/rondo.hpp>

#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    rondo::CartComm ring(MPI_COMM_WORLD, {p}, rondo::moore(1, 1));
    const std::vector<int> send(2, ring.rank());
    std::vector<int> recv(2);
    ring.alltoall(send, recv);
    wrong = recv == ring.sources() ? 0 : 1;
  }
  MPI_Finalize();
  return wrong;
}
