// The first program, as README.md shows it: the halo of a box on a grid of processes that is not periodic.
#include <mpi.h>
#include <rondo/rondo.hpp>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const std::vector<int> processes = rondo::dims_create(MPI_COMM_WORLD, 3), periods(3, 0);
    rondo::CartComm grid(MPI_COMM_WORLD, processes, periods, rondo::Neighborhood(3));  // a halo needs no offsets
    std::vector<double> cells(66 * 66 * 66, grid.rank());  // 64 x 64 x 64, and a halo of one cell on each side
    rondo::Request halo = rondo::halo_init(grid, rondo::HaloArray::of(cells, {66, 66, 66}, 1));
    for (int step = 0; step < 100; ++step) {
      halo.start();
      // compute the interior, which needs no halo
      halo.wait();
      // compute the border
    }
  }
  MPI_Finalize();
}
