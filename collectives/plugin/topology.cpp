#include "collectives/plugin/topology.hpp"

#include "datatypes/mpi_check.hpp"

#include <memory>

namespace rondo::plugin {
namespace {

int delete_context(MPI_Comm, int, void* context, void*) {
  delete static_cast<TopologyContext*>(context);
  return MPI_SUCCESS;
}

/// A duplicate of the communicator begins anew: see comm_calls.cpp.
int keyval() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_context, &key, nullptr), "MPI_Comm_create_keyval");
    return key;
  }();
  return made;
}

}  // namespace

TopologyContext& TopologyContext::attach(MPI_Comm comm, MPI_Comm parent) {
  auto context = std::make_unique<TopologyContext>(comm);
  context->neighborhood = find_isomorphic(comm, parent, context->edges.lists());
  check_mpi(MPI_Comm_set_attr(comm, keyval(), context.get()), "MPI_Comm_set_attr");
  return *context.release();  // MPI's now
}

TopologyContext* TopologyContext::find(MPI_Comm comm) {
  void* found = nullptr;
  int flag = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval(), static_cast<void*>(&found), &flag), "comm");
  return flag == 0 ? nullptr : static_cast<TopologyContext*>(found);
}

bool has_topology(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  return MPI_Topo_test(comm, &topology) == MPI_SUCCESS && topology != MPI_UNDEFINED;
}

}  // namespace rondo::plugin
