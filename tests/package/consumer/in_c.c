#include <mpi.h>
#include <rondo/rondo.h>

int main(int argc, char** argv) {
  int p, rank, wrong;
  const int period = 1;
  const int offsets[2] = {1, -1};
  int send[2], recv[2];
  MPI_Comm ring;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &p, &period, 2, offsets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  send[0] = rank;
  send[1] = 100 + rank;
  Rondo_Cart_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, ring);
  wrong = recv[0] != (rank + p - 1) % p || recv[1] != 100 + (rank + 1) % p;
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return wrong;
}
