/// @file
/// TopologyContext: what the plug-in keeps for a communicator with a topology.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_TOPOLOGY_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_TOPOLOGY_HPP

#include <mpi.h>

#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/operations/edge_collective.hpp"

#include <memory>

namespace rondo::internal::plugin {

struct TopologyContext {
  explicit TopologyContext(MPI_Comm comm) : edges(comm) {}

  /// Makes one of a communicator with a topology, its attribute. `parent`: what the communicator was made from, or
  /// MPI_COMM_NULL. Collective, blocking. Throws Error on all ranks alike.
  static TopologyContext& attach(MPI_Comm comm, MPI_Comm parent);
  /// That of a communicator, or null. Local.
  [[nodiscard]] static TopologyContext* find(MPI_Comm comm);

  EdgeContext edges;
  /// Of a distributed graph all processes of which have the same neighborhood on some grid: that neighborhood, with
  /// the order of the graph's lists. Null otherwise.
  std::shared_ptr<NeighborhoodContext> neighborhood;
};

/// Whether a communicator has a topology. Local.
[[nodiscard]] bool has_topology(MPI_Comm comm);

/// Looks for such a neighborhood (ICPP 2019, section 2.2), on the grid of `parent` where that is Cartesian and has the
/// same ranks, otherwise on tori as MPI_Dims_create has them. `lists`: the graph's. Null where there is none.
/// Collective.
[[nodiscard]] std::shared_ptr<NeighborhoodContext> find_isomorphic(MPI_Comm graph, MPI_Comm parent,
                                                                   const edges::Lists& lists);

}  // namespace rondo::internal::plugin

#endif
