/// @file
/// Detection of a Cartesian neighborhood in a distributed-graph communicator (ICPP 2019, section 2.2).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_GRAPH_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_GRAPH_NEIGHBORHOOD_HPP

#include <mpi.h>

#include "collectives/communicators/cart_neighborhood.hpp"

#include <string>

namespace rondo::internal {

struct FoundNeighborhood {
  MPI_Comm comm = MPI_COMM_NULL;  ///< has the neighborhood, and the order of the graph's lists in its context
  std::string reason;             ///< where there is none: why, the same on all ranks
};

/// Collective; see Rondo_Neighborhood_from_graph. Of `arguments` only function, comm (the graph), d, dimensions and
/// periods count.
[[nodiscard]] FoundNeighborhood find_neighborhood(NeighborhoodArguments arguments, const CompleteArguments& steps);

}  // namespace rondo::internal

#endif
