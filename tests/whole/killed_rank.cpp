// Exchanges for ever; after a while one rank is killed. Run by killed_rank.sh.
#include <mpi.h>
#include <signal.h>
#include <rondo/rondo.hpp>

#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rondo::CartComm ring(MPI_COMM_WORLD, {ranks}, rondo::moore(1, 1));
  const std::vector<int> send(200000, ring.rank());
  std::vector<int> recv(send.size());
  rondo::Request exchange = ring.alltoall_init(send, recv, 100000);
  for (int step = 0;; ++step) {
    exchange.start();
    if (step == 20 && ring.rank() == 1) raise(SIGKILL);
    exchange.wait();
  }
}
