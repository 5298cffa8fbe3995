#include "collectives/plugin/choice/topology.hpp"

#include "collectives/comm_state/attribute_key.hpp"

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

TopologyContext& TopologyContext::attach(MPI_Comm comm, MPI_Comm parent) {
  auto context = std::make_unique<TopologyContext>(comm);
  context->neighborhood = find_isomorphic(comm, parent, context->edges.lists());
  return key().attach(comm, std::move(context));
}

TopologyContext* TopologyContext::find(MPI_Comm comm) { return key().find(comm); }

bool has_topology(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  return MPI_Topo_test(comm, &topology) == MPI_SUCCESS && topology != MPI_UNDEFINED;
}

}  // namespace rondo::internal::plugin
