#include "collectives/plugin/choice/topology.hpp"

#include "collectives/comm_state/attribute_key.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <utility>

namespace rondo::internal::plugin {
namespace {

/// Returns the key of the contexts. A duplicate of the communicator begins anew: see comm_calls.cpp.
const AttributeKey<TopologyContext>& key() {
  static const AttributeKey<TopologyContext> key;
  return key;
}

}  // namespace

TopologyContext& TopologyContext::attach(MPI_Comm comm) {
  std::unique_ptr<TopologyContext> context(new (std::nothrow) TopologyContext(comm, nullptr));
  // The other ranks learn of the trouble, and fail, too.
  if (context == nullptr) static_cast<void>(TopologyContext(comm, std::make_exception_ptr(std::bad_alloc())));
  return key().attach(comm, std::move(context));
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
  constexpr int kMostDimensions = 32;  // in arrays, because no rank may run out of memory alone
  int topology = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(comm, &topology), "MPI_Topo_test");
  if (topology != MPI_CART) return false;
  int dimensions = 0;
  check_mpi(MPI_Cartdim_get(comm, &dimensions), "MPI_Cartdim_get");
  if (dimensions > kMostDimensions) return true;  // some dimension has one process only
  std::array<int, kMostDimensions> sizes{};
  std::array<int, kMostDimensions> periods{};
  std::array<int, kMostDimensions> coordinates{};
  check_mpi(MPI_Cart_get(comm, dimensions, sizes.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); ++k) {
    if (periods[k] != 0 && sizes[k] <= 2) return true;
  }
  return false;
}

}  // namespace rondo::internal::plugin
