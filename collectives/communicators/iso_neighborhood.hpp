/// @file
/// Isomorphic neighborhoods on Cartesian communicators (EuroMPI 2015, section 6).
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_ISO_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_ISO_NEIGHBORHOOD_HPP

#include <mpi.h>

#include "collectives/topology/grid.hpp"

#include <functional>
#include <vector>

namespace rondo::internal {

/// Collective; see Rondo_Iso_neighborhood_create. `check` is called where what it throws is told to all ranks; to be
/// passed by std::ref.
[[nodiscard]] MPI_Comm create_iso_neighborhood(MPI_Comm cartcomm, int s, const int* relative_coordinates,
                                               const std::function<void()>& check);

/// The grid of a Cartesian communicator, whoever made it. Throws Error, MPI_ERR_COMM or MPI_ERR_TOPOLOGY. Local.
[[nodiscard]] Grid grid_of(MPI_Comm cartcomm);

/// Ranks, kNoRank for those that do not exist, that a process sends to and receives from.
struct NeighborRanks {
  std::vector<int> sources;
  std::vector<int> targets;

  /// Those that exist.
  [[nodiscard]] NeighborRanks existing() const;
};
/// Of the neighborhood of `comm`. Throws Error, MPI_ERR_COMM or MPI_ERR_TOPOLOGY. Local.
[[nodiscard]] NeighborRanks iso_neighbors(MPI_Comm isocomm);
/// The neighbors that MPI gives a Cartesian communicator (MPI 3.1, section 7.6): for each dimension the process one
/// step down, then the one a step up; the lists of sources and of targets are the same.
[[nodiscard]] NeighborRanks cart_neighbors(MPI_Comm cartcomm);

}  // namespace rondo::internal

#endif
