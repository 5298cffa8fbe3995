#include "collectives/communicators/reorder.hpp"

#include "collectives/comm_state/agreement.hpp"
#include "collectives/topology/process_mapping.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/world.hpp"
#include "runtime/shared_memory/node_card.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace rondo::internal {
namespace {

/// The name of a node, as far as it is known which processes share one. Travels as bytes.
struct NodeName {
  std::uint64_t by_mpi;   ///< by MPI, or the number that the caller gave
  std::uint64_t by_user;  ///< a hash of RONDO_NODE
  auto operator<=>(const NodeName&) const = default;
};

/// Returns a number for each name, the same for equal names.
std::vector<int> numbers_of(const std::vector<NodeName>& names) {
  std::map<NodeName, int> known;
  std::vector<int> numbers;
  for (const NodeName& name : names) numbers.push_back(known.try_emplace(name, std::ssize(known)).first->second);
  return numbers;
}

/// Returns the lowest rank on the caller's node. Collective.
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
  NodeName name{static_cast<std::uint64_t>(node), 0};
  std::vector<NodeName> names;
  agree_that_all_is_well(trouble_in([&] {
                           if (decides) names.resize(static_cast<std::size_t>(grid.size()));
                           // The name does not depend on the use of shared memory.
                           if (node == kAskMpi) name.by_user = own_node_card(SharedMemory::on).node_name;
                         }),
                         comm);
  if (node == kAskMpi) name.by_mpi = static_cast<std::uint64_t>(node_by_mpi(comm, grid.rank()));
  constexpr int kBytes = sizeof(NodeName);
  check_mpi(MPI_Gather(&name, kBytes, MPI_BYTE, names.data(), kBytes, MPI_BYTE, 0, comm), "MPI_Gather");
  ProcessMapping mapping;
  agree_that_all_is_well(trouble_in([&] {
                           if (!decides) return;
                           mapping = map_processes(grid, neighborhood, numbers_of(names));
                           log(LogLevel::info, "reorder of ", describe_comm(comm).view(),
                               ": the weights of neighbors on other nodes sum up to ", mapping.after, ", before to ",
                               mapping.before, "; of the busiest node, sent and received, to ", mapping.busiest_after,
                               ", before to ", mapping.busiest_before);
                         }),
                         comm);
  int moves = mapping.place_of.empty() ? 0 : 1;
  check_mpi(MPI_Bcast(&moves, 1, MPI_INT, 0, comm), "MPI_Bcast");
  if (moves == 0) return MPI_COMM_NULL;
  int place = 0;
  check_mpi(MPI_Scatter(mapping.place_of.data(), 1, MPI_INT, &place, 1, MPI_INT, 0, comm), "MPI_Scatter");
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, 0, place, &made), "MPI_Comm_split");
  // MPI_Cart_create passes on the error handler of its parent.
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
    MPI_Comm_set_errhandler(made, handler);
    if (handler != MPI_ERRORS_RETURN && handler != MPI_ERRORS_ARE_FATAL) MPI_Errhandler_free(&handler);
  }
  return made;
}

}  // namespace rondo::internal
