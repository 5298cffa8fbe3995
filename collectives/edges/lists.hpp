/// @file
/// Lists: the neighbors that a topology of MPI's gives a process, and which messages belong together.
#ifndef RONDO_COLLECTIVES_EDGES_LISTS_HPP
#define RONDO_COLLECTIVES_EDGES_LISTS_HPP

#include <mpi.h>

#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::edges {

/// One end of an edge of a topology, seen from the process at the other end.
struct Edge {
  int rank;           ///< kNoRank: there is nobody, MPI_PROC_NULL
  std::uint32_t tag;  ///< the same at both ends; tells edges between the same two processes apart
};

/// The neighbors of one process, in MPI's order.
struct Lists {
  int rank = 0;  ///< of the process itself
  std::vector<Edge> targets;
  std::vector<Edge> sources;

  /// Whether two edges lead to one process.
  [[nodiscard]] bool has_parallel_edges() const;
  /// One past the greatest tag here.
  [[nodiscard]] std::uint32_t tags() const noexcept;
};

/// Of a Cartesian communicator (MPI 3.1, section 7.6): for each dimension the neighbor one step down, then the one a
/// step up. What goes down comes from above, also where both are the same process, as in periodic dimensions of size 1
/// and 2.
[[nodiscard]] Lists cartesian_edges(const Grid& grid);

/// Of a graph: edges from one process to another belong together in the order of the lists at both ends. Ranks that
/// are negative are nobody's.
[[nodiscard]] Lists graph_edges(int rank, std::span<const int> sources, std::span<const int> targets);

/// Of a communicator with any topology. Throws Error, MPI_ERR_TOPOLOGY, when it has none. Local.
[[nodiscard]] Lists edges_of(MPI_Comm comm);

}  // namespace rondo::internal::edges

#endif
