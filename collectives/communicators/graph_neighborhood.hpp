/// @file
/// Detection of a Cartesian neighborhood in a distributed-graph communicator (ICPP 2019, section 2.2).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_GRAPH_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_GRAPH_NEIGHBORHOOD_HPP

#include <mpi.h>

#include "collectives/communicators/cart_neighborhood.hpp"
#include "collectives/communicators/neighborhood_context.hpp"

#include <memory>
#include <string>

namespace rondo::internal {

struct FoundNeighborhood {
  MPI_Comm comm = MPI_COMM_NULL;  ///< has the neighborhood; its context has the order of the graph's lists
  std::string reason;             ///< if there is none: why, the same on all ranks
};

/// A neighborhood found in a graph for which no communicator is made: it uses the state that the caller keeps for the
/// graph.
struct FoundContext {
  std::shared_ptr<NeighborhoodContext> context;  ///< has the order of the graph's lists
  std::string reason;                            ///< if there is none: why, the same on all ranks
};
/// Looks for a neighborhood as find_neighborhood() does, with the environment's settings. `state`: the graph's state.
/// Collective.
[[nodiscard]] FoundContext find_neighborhood_context(const NeighborhoodArguments& arguments,
                                                     std::shared_ptr<CommState> state);

/// Looks for a neighborhood in a graph. Collective; see Rondo_Neighborhood_from_graph. Of `arguments`, only function,
/// comm (the graph), d, dimensions and periods count.
[[nodiscard]] FoundNeighborhood find_neighborhood(NeighborhoodArguments arguments, const CompleteArguments& steps);

}  // namespace rondo::internal

#endif
