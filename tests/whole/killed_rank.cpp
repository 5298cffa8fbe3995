// Exchanges for ever; after a while one rank is killed. Run by killed_rank.sh. Argument: how many integers a block has.
#include <mpi.h>
#include <signal.h>
#include <rondo/rondo.hpp>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rondo::CartComm ring(MPI_COMM_WORLD, {ranks}, rondo::moore(1, 1));
  const int length = argc > 1 ? static_cast<int>(std::strtol(argv[1], nullptr, 10)) : 1;
  const std::vector<int> send(2 * static_cast<std::size_t>(length), ring.rank());
  std::vector<int> recv(send.size());
  rondo::Request exchange = ring.alltoall_init(send, recv, length);
  for (int step = 0;; ++step) {
    exchange.start();
    if (step == 20 && ring.rank() == 1) raise(SIGKILL);
    exchange.wait();
  }
}
