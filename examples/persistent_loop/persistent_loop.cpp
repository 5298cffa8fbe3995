// A persistent exchange in a loop: prepared once, started a thousand times; the processes of a ring average themselves
// with their neighbors until all agree.
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    rondo::CartComm ring(MPI_COMM_WORLD, {p}, rondo::moore(1, 1));
    std::vector<double> send(2);
    std::vector<double> recv(2);
    rondo::Request exchange = ring.alltoall_init(send, recv);

    double value = ring.rank();
    for (int step = 0; step < 1000; ++step) {
      send = {value, value};
      exchange.start();
      const double own = value / 2;  // whatever can be done before the neighbors' values are here
      exchange.wait();
      value = own + (recv[0] + recv[1]) / 4;
    }
    const double mean = (p - 1) / 2.0;
    std::printf("rank %d: %.6f, algorithm %s\n", ring.rank(), value, exchange.algorithm().c_str());
    status = std::abs(value - mean) < 1e-6 ? 0 : 1;
  }
  MPI_Finalize();
  return status;
}
