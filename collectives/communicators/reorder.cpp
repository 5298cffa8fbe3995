#include "collectives/communicators/reorder.hpp"

#include "collectives/comm_state/agreement.hpp"
#include "collectives/topology/process_mapping.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/world.hpp"

#include <vector>

namespace rondo::internal {
namespace {

/// The lowest rank on the caller's node. Collective.
int node_by_mpi(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  int lowest = rank;
  const int code = MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  check_mpi(code, "MPI_Bcast");
  return lowest;
}

}  // namespace

MPI_Comm reordered(MPI_Comm comm, const Grid& grid, const Neighborhood& neighborhood, int node) {
  const bool decides = grid.rank() == 0;
  if (node == kAskMpi) node = node_by_mpi(comm, grid.rank());
  std::vector<int> node_of_rank;
  agree_that_all_is_well(trouble_in([&] {
                           if (decides) node_of_rank.resize(static_cast<std::size_t>(grid.size()));
                         }),
                         comm);
  check_mpi(MPI_Gather(&node, 1, MPI_INT, node_of_rank.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  ProcessMapping mapping;
  agree_that_all_is_well(trouble_in([&] {
                           if (!decides) return;
                           mapping = map_processes(grid, neighborhood, node_of_rank);
                           log(LogLevel::debug, "reorder of ", describe_comm(comm).view(), ": weighted distance ",
                               mapping.after, ", was ", mapping.before);
                         }),
                         comm);
  int moves = mapping.place_of.empty() ? 0 : 1;
  check_mpi(MPI_Bcast(&moves, 1, MPI_INT, 0, comm), "MPI_Bcast");
  if (moves == 0) return MPI_COMM_NULL;
  int place = 0;
  check_mpi(MPI_Scatter(mapping.place_of.data(), 1, MPI_INT, &place, 1, MPI_INT, 0, comm), "MPI_Scatter");
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, 0, place, &made), "MPI_Comm_split");
  // MPI_Cart_create hands its parent's error handler on.
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
    MPI_Comm_set_errhandler(made, handler);
    if (handler != MPI_ERRORS_RETURN && handler != MPI_ERRORS_ARE_FATAL) MPI_Errhandler_free(&handler);
  }
  return made;
}

}  // namespace rondo::internal
