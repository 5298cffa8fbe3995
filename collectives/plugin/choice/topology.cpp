#include "collectives/plugin/choice/topology.hpp"

#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/communicators/iso_neighborhood.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace rondo::internal::plugin {
namespace {

/// A duplicate of the communicator begins anew: see comm_calls.cpp.
const AttributeKey<TopologyContext>& key() {
  static const AttributeKey<TopologyContext> key;
  return key;
}

}  // namespace

TopologyContext& TopologyContext::attach(MPI_Comm comm) {
  return key().attach(comm, std::make_unique<TopologyContext>(comm));
}

TopologyContext* TopologyContext::find(MPI_Comm comm) { return key().find(comm); }

void TopologyContext::look_for_neighborhood(MPI_Comm comm) {
  if (!std::exchange(has_looked_, true)) neighborhood_ = find_isomorphic(comm, edges);
}

bool has_topology(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  return MPI_Topo_test(comm, &topology) == MPI_SUCCESS && topology != MPI_UNDEFINED;
}

bool is_cartesian(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(comm, &topology), "MPI_Topo_test");
  return topology == MPI_CART;
}

bool has_short_rings(MPI_Comm comm) {
  if (!is_cartesian(comm)) return false;
  const Grid grid = grid_of(comm);
  for (std::size_t k = 0; k < grid.sizes().size(); ++k) {
    if (grid.periods()[k] != 0 && grid.sizes()[k] <= 2) return true;
  }
  return false;
}

}  // namespace rondo::internal::plugin
