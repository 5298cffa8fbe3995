// An allreduce of one's own, written in the language of Rondo's algorithms (recursive_doubling.hpp) and run in all
// three forms. docs/own-collectives.md tells how it is written, checked and looked at.
#include "recursive_doubling.hpp"

#include <mpi.h>
#include <rondo/schedule.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    constexpr int kCount = 1000;
    rondo::OwnCollective allreduce(MPI_COMM_WORLD, "recursive-doubling allreduce",
                                   recursive_doubling(kCount, MPI_DOUBLE, MPI_SUM));
    std::vector<double> mine(kCount);
    std::vector<double> all(kCount);
    const auto fill = [&](int step) {
      for (int i = 0; i < kCount; ++i) mine[static_cast<std::size_t>(i)] = rank + i + step;
    };
    const auto count_wrong = [&](int step) {
      for (int i = 0; i < kCount; ++i)
        wrong += all[static_cast<std::size_t>(i)] == size * (size - 1) / 2 + size * (i + step) ? 0 : 1;
    };

    fill(0);
    allreduce.run(mine, all);  // blocking
    count_wrong(0);

    fill(1);
    rondo::Request once = allreduce.start(mine, all);  // nonblocking
    once.wait();
    count_wrong(1);

    rondo::Request persistent = allreduce.init(mine, all);
    for (int step = 2; step < 100; ++step) {
      fill(step);
      persistent.start();  // allocates nothing
      // work that needs no sum
      persistent.wait();
      count_wrong(step);
    }
    if (rank == 0) std::printf("%d ranks, %d sums, %d wrong\n%s", size, 100, wrong, persistent.explain().c_str());
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
