// A pipelined broadcast of one's own (pipelined_chain.hpp): 4 MB in segments of 64 KiB, from each rank in turn.
#include "pipelined_chain.hpp"

#include <mpi.h>
#include <rondo/schedule.hpp>

#include <algorithm>
#include <cstdint>
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
    std::vector<double> values(500'000);
    const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(double));
    for (int root = 0; root < size; ++root) {
      rondo::OwnCollective broadcast(MPI_COMM_WORLD, "pipelined broadcast", pipelined_chain(bytes, 65536, root));
      std::fill(values.begin(), values.end(), rank);
      broadcast.run(rondo::in_place, values);
      wrong += std::count(values.begin(), values.end(), root) == std::ssize(values) ? 0 : 1;
    }
    std::printf("rank %d of %d: %d broadcasts, %d wrong\n", rank, size, size, wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
