// As in docs/own-collectives.md.
#include "doubling.hpp"

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    rondo::OwnCollective allreduce(MPI_COMM_WORLD, "my allreduce", doubling(1000));
    const std::vector<double> mine(1000, 1.0);
    std::vector<double> all(1000);
    allreduce.run(mine, all);                          // blocking
    rondo::Request once = allreduce.start(mine, all);  // nonblocking
    once.wait();
    rondo::Request request = allreduce.init(mine, all);  // persistent
    for (int step = 0; step < 100; ++step) {
      request.start();  // allocates nothing
      request.wait();
    }
    std::printf("%g\n", all[999]);
  }
  MPI_Finalize();
}
