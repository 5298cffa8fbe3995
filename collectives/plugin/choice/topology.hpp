/// @file
/// TopologyContext: the state that the plug-in keeps for a communicator with a topology.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_TOPOLOGY_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_TOPOLOGY_HPP

#include <mpi.h>

#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/operations/edge_collective.hpp"

#include <memory>
#include <vector>

namespace rondo::internal::plugin {

/// A grid on which the processes of a distributed graph may be.
struct GridGuess {
  std::vector<int> sizes;
  std::vector<int> periods;
};

struct TopologyContext {
  /// See the constructor of EdgeContext.
  TopologyContext(MPI_Comm comm, const std::exception_ptr& trouble) : edges(comm, trouble) {}

  /// Makes the context of a communicator with a topology, which becomes its attribute. Collective, blocking. Throws
  /// Error on all ranks alike.
  static TopologyContext& attach(MPI_Comm comm);
  /// Returns the context of a communicator, or null. Local.
  [[nodiscard]] static TopologyContext* find(MPI_Comm comm);

  /// Checks once whether the communicator of this context is a distributed graph with the same neighborhood on all
  /// processes (ICPP 2019, section 2.2): on the grid of the communicator from which it was made, or on tori as
  /// MPI_Dims_create makes them. Collective, blocking.
  void look_for_neighborhood(MPI_Comm comm);
  /// Returns the neighborhood that was found, with the order of the graph's lists; null if there is none, or none was
  /// searched. It shares the private communicator of `edges`.
  [[nodiscard]] const std::shared_ptr<NeighborhoodContext>& neighborhood() const noexcept { return neighborhood_; }

  EdgeContext edges;

 private:
  std::shared_ptr<NeighborhoodContext> neighborhood_;
  bool has_looked_ = false;
};

/// Returns whether a communicator has a topology. Local.
[[nodiscard]] bool has_topology(MPI_Comm comm);
/// Returns whether a valid communicator is Cartesian. Local.
[[nodiscard]] bool is_cartesian(MPI_Comm comm);
/// Returns whether a communicator is a Cartesian one with a periodic dimension of one or two processes, in which two
/// neighbors are the same process. Local, and the same on all its ranks.
[[nodiscard]] bool has_short_rings(MPI_Comm comm);

/// Remembers, for look_for_neighborhood(), the grid of `parent` for the communicator `graph` that was made from it: if
/// `graph` is a distributed graph, and `parent` is Cartesian and has the same ranks. Local.
void remember_grid(MPI_Comm graph, MPI_Comm parent);
/// Returns the grid that remember_grid() has kept for `graph`, or null. Local.
[[nodiscard]] const GridGuess* remembered_grid(MPI_Comm graph);

/// Searches for a neighborhood as look_for_neighborhood() does. Returns null if there is none. Collective.
[[nodiscard]] std::shared_ptr<NeighborhoodContext> find_isomorphic(MPI_Comm graph, EdgeContext& edges);

}  // namespace rondo::internal::plugin

#endif
