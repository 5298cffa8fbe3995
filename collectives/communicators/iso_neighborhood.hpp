/// @file
/// Isomorphic neighborhoods on Cartesian communicators (EuroMPI 2015, section 6).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_ISO_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_ISO_NEIGHBORHOOD_HPP

#include <mpi.h>

#include "collectives/topology/grid.hpp"

#include <functional>
#include <vector>

namespace rondo::internal {

/// Creates an isomorphic neighborhood. Collective; see Rondo_Iso_neighborhood_create. All ranks are informed of what
/// `check` throws. Pass it by std::ref.
[[nodiscard]] MPI_Comm create_iso_neighborhood(MPI_Comm cartcomm, int s, const int* relative_coordinates,
                                               const std::function<void()>& check);

/// Returns the grid of any Cartesian communicator. Throws Error (MPI_ERR_COMM or MPI_ERR_TOPOLOGY). Local.
[[nodiscard]] Grid grid_of(MPI_Comm cartcomm);

/// The ranks that a process sends to and receives from; kNoRank if they do not exist.
struct NeighborRanks {
  std::vector<int> sources;
  std::vector<int> targets;

  /// Returns the ranks that exist.
  [[nodiscard]] NeighborRanks existing() const;
};
/// Returns the neighbors of a neighborhood. Throws Error (MPI_ERR_COMM or MPI_ERR_TOPOLOGY). Local.
[[nodiscard]] NeighborRanks iso_neighbors(MPI_Comm isocomm);
/// Returns the neighbors that MPI gives a Cartesian communicator (MPI 3.1, section 7.6): for each dimension the process
/// one step down, then the one a step up; the lists of sources and of targets are the same.
[[nodiscard]] NeighborRanks cart_neighbors(MPI_Comm cartcomm);

}  // namespace rondo::internal

#endif
