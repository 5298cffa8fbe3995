/// @file
/// Grids of all ranks, for tests under mpirun.
#ifndef RONDO_TESTS_MPI_GRID_HPP
#define RONDO_TESTS_MPI_GRID_HPP

#include <mpi.h>
#include <rondo/cart_comm.hpp>

#include "tests/support/test_scale.hpp"

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

namespace rondo::internal {

/// Sizes of d dimensions for all ranks, as equal as can be.
[[nodiscard]] inline std::vector<int> balanced(int d) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(d), 0);
  MPI_Dims_create(p, d, sizes.data());
  return sizes;
}

/// Calls visit(comm, what) for each mix of periodic and other dimensions, each neighborhood and each algorithm. The
/// neighborhoods of a grid share a communicator, as making one takes MPICH long where ranks share cores. At a scale
/// below 1 each neighborhood and algorithm meet in every second mix of two or three dimensions.
template <typename Visit>
void for_each_grid(int d, const std::vector<Neighborhood>& neighborhoods, const std::vector<std::string>& algorithms,
                   Visit visit) {
  for (int mask = 0; mask < 1 << d; ++mask) {
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) periods.push_back(mask >> k & 1);
    const CartComm grid(MPI_COMM_WORLD, balanced(d), periods, Neighborhood(d));
    const auto periodic = static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask)));
    for (std::size_t n = 0; n < neighborhoods.size(); ++n) {
      for (std::size_t a = 0; a < algorithms.size(); ++a) {
        if (test_scale() < 1 && d > 1 && (periodic + n + a) % 2 == 1) continue;
        Options options;
        options.algorithm = algorithm_from(algorithms[a]);
        CartComm comm = grid.with_neighborhood(neighborhoods[n], options);
        visit(comm, algorithms[a] + ", d " + std::to_string(d) + ", t " + std::to_string(neighborhoods[n].size()) +
                        ", periods " + std::to_string(mask));
      }
    }
  }
}

/// The same with a communicator for each, for the C interface.
template <typename Visit>
void for_each_communicator(int d, const Neighborhood& neighborhood, const std::vector<std::string>& algorithms,
                           Visit visit) {
  for (int mask = 0; mask < 1 << d; ++mask) {
    std::vector<int> periods;
    for (int k = 0; k < d; ++k) periods.push_back(mask >> k & 1);
    for (const std::string& algorithm : algorithms) {
      Options options;
      options.algorithm = algorithm_from(algorithm);
      CartComm comm(MPI_COMM_WORLD, balanced(d), periods, neighborhood, options);
      visit(comm, algorithm + ", d " + std::to_string(d) + ", t " + std::to_string(neighborhood.size()) + ", periods " +
                      std::to_string(mask));
    }
  }
}

}  // namespace rondo::internal

#endif
