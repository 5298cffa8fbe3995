#include "collectives/topology/cartesian_grid.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"

#include <vector>

namespace rondo::internal {

void check_cartesian(MPI_Comm cartcomm) {
  int status = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(cartcomm, &status), "cartcomm");
  if (status != MPI_CART) throw Error(MPI_ERR_TOPOLOGY, "cartcomm: is not Cartesian");
}

Grid cartesian_grid(MPI_Comm cartcomm) {
  check_cartesian(cartcomm);
  int d = 0;
  check_mpi(MPI_Cartdim_get(cartcomm, &d), "MPI_Cartdim_get");
  std::vector<int> sizes(static_cast<std::size_t>(d));
  std::vector<int> periods(sizes.size());
  std::vector<int> coordinates(sizes.size());
  check_mpi(MPI_Cart_get(cartcomm, d, sizes.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
  int rank = 0;
  check_mpi(MPI_Comm_rank(cartcomm, &rank), "MPI_Comm_rank");
  return {sizes, periods, rank};
}

}  // namespace rondo::internal
