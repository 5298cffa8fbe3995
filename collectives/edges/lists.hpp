/// @file
/// Lists: the neighbors that a topology of MPI gives a process, and the correspondence of their messages.
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
  int rank;           ///< kNoRank: no neighbor, MPI_PROC_NULL
  std::uint32_t tag;  ///< the same at both ends; tells edges between the same two processes apart
};

/// The neighbors of one process, in MPI's order.
struct Lists {
  int rank = 0;  ///< rank of the process itself
  std::vector<Edge> targets;
  std::vector<Edge> sources;

  /// Returns whether two outgoing edges lead to the same process.
  [[nodiscard]] bool has_parallel_edges() const;
  /// Returns one more than the greatest tag of these edges.
  [[nodiscard]] std::uint32_t tags() const noexcept;
};

/// Returns the edges of a Cartesian communicator (MPI 3.1, section 7.6): for each dimension the neighbor one step down,
/// then the neighbor one step up. A block sent down arrives from above, even if both neighbors are the same process, as
/// in periodic dimensions of size 1 and 2.
[[nodiscard]] Lists cartesian_edges(const Grid& grid);

/// Returns the edges of a graph. Edges from one process to another correspond in the order of the lists at both ends.
/// Negative ranks stand for no neighbor.
[[nodiscard]] Lists graph_edges(int rank, std::span<const int> sources, std::span<const int> targets);

/// Returns the edges of a communicator with any topology. Throws Error (MPI_ERR_TOPOLOGY) if it has none. Local.
[[nodiscard]] Lists edges_of(MPI_Comm comm);

}  // namespace rondo::internal::edges

#endif
