// The plug-in makes communicators ready for nonblocking calls while they are made: those are collective and may wait, a
// nonblocking call may not.
#include <rondo/error.hpp>

#include "collectives/dense_context.hpp"
#include "collectives/plugin/call_report.hpp"
#include "collectives/plugin/comm_calls.hpp"
#include "collectives/plugin/decision.hpp"
#include "collectives/plugin/original_mpi.hpp"
#include "collectives/plugin/topology.hpp"
#include "datatypes/mpi_check.hpp"
#include "runtime/log.hpp"
#include "runtime/node.hpp"

using namespace rondo;
using namespace rondo::plugin;

namespace {

bool takes_any_neighborhood() {
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    const auto call = static_cast<ReplacedCall>(i);
    if (is_neighborhood(call) && wanted(call) != Wanted::pass) return true;
  }
  return false;
}

bool is_intercommunicator(MPI_Comm comm) {
  int inter = 0;
  return MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0;
}

/// Whether all processes of a communicator have one MPI_COMM_WORLD: with others there is nothing agreed on.
bool is_of_this_world(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group common = MPI_GROUP_NULL;
  int size = 0;
  int size_here = -1;
  check_mpi(MPI_Comm_group(comm, &group), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  check_mpi(MPI_Group_intersection(group, world, &common), "MPI_Group_intersection");
  check_mpi(MPI_Group_size(group, &size), "MPI_Group_size");
  check_mpi(MPI_Group_size(common, &size_here), "MPI_Group_size");
  for (MPI_Group* made : {&group, &world, &common}) check_mpi(MPI_Group_free(made), "MPI_Group_free");
  return size == size_here;
}

/// After a function that made `comm`, if it did.
int made(int code, const MPI_Comm* comm, MPI_Comm parent) {
  if (code == MPI_SUCCESS && comm != nullptr) prepare_for_nonblocking(*comm, parent);
  return code;
}

/// Agreed on by prepare_world().
bool world_shares_cores = false;

}  // namespace

namespace rondo::plugin {

void prepare_for_nonblocking(MPI_Comm comm, MPI_Comm parent) {
  if (comm == MPI_COMM_NULL || is_intercommunicator(comm)) return;
  try {
    if (!is_of_this_world(comm)) return;
    if (takes_any_neighborhood() && has_topology(comm)) TopologyContext::attach(comm, parent);
    if (prepares_dense_calls(world_shares_cores)) static_cast<void>(DenseContext::ready(comm));
  } catch (const std::exception& error) {
    // On all ranks alike. Its first blocking call tries again, and tells the application.
    log().warn("a communicator could not be made ready for nonblocking calls, which are left to MPI: {}", error.what());
  }
}

void prepare_world() {
  static_cast<void>(CallReport::wanted());  // so that it tells of no calls, too
  int shares = ranks_per_core() > 1 ? 1 : 0;
  if (MPI_Allreduce(MPI_IN_PLACE, &shares, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS) return;
  world_shares_cores = shares != 0;
  prepare_for_nonblocking(MPI_COMM_WORLD, MPI_COMM_NULL);
}

}  // namespace rondo::plugin

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return made(original_mpi().comm_dup(comm, newcomm), newcomm, comm);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return made(original_mpi().comm_dup_with_info(comm, info, newcomm), newcomm, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return made(original_mpi().comm_split(comm, color, key, newcomm), newcomm, comm);
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  return made(original_mpi().comm_split_type(comm, split_type, key, info, newcomm), newcomm, comm);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return made(original_mpi().comm_create(comm, group, newcomm), newcomm, comm);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return made(original_mpi().comm_create_group(comm, group, tag, newcomm), newcomm, comm);
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return made(original_mpi().intercomm_merge(intercomm, high, newintracomm), newintracomm, MPI_COMM_NULL);
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart) {
  return made(original_mpi().cart_create(comm_old, ndims, dims, periods, reorder, comm_cart), comm_cart, comm_old);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return made(original_mpi().cart_sub(comm, remain_dims, newcomm), newcomm, comm);
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* comm_graph) {
  return made(original_mpi().graph_create(comm_old, nnodes, index, edges, reorder, comm_graph), comm_graph, comm_old);
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
  return made(original_mpi().dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder,
                                               comm_dist_graph),
              comm_dist_graph, comm_old);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                                   int outdegree, const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm* comm_dist_graph) {
  return made(original_mpi().dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree,
                                                        destinations, destweights, info, reorder, comm_dist_graph),
              comm_dist_graph, comm_old);
}
}
