/// @file
/// Making Cartesian communicators with a neighborhood, and asking them (ICPP 2019, section 2, listings 1 and 2).
#ifndef RONDO_COLLECTIVES_CART_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_CART_NEIGHBORHOOD_HPP

#include <mpi.h>

#include "collectives/grid.hpp"
#include "collectives/settings.hpp"

#include <functional>

namespace rondo {

/// Arguments of Rondo_Cart_neighborhood_create, as the user gave them.
struct NeighborhoodArguments {
  MPI_Comm comm;
  int d;
  const int* dimensions;
  const int* periods;
  int t;
  const int* targetrelative;
  const int* weight;
  int reorder;
};

/// Completes the arguments and takes the settings, assertions first. Called where a bad value, or whatever else it
/// throws, can still be told to all ranks; to be passed by std::ref, which allocates nothing.
using CreateSteps = std::function<void(NeighborhoodArguments&, Settings&)>;

/// A rank of the grid as users see it: MPI_PROC_NULL beyond the edge of a mesh.
[[nodiscard]] inline int for_users(int rank) { return rank == kNoRank ? MPI_PROC_NULL : rank; }

/// Collective; see Rondo_Cart_neighborhood_create.
[[nodiscard]] MPI_Comm create_neighborhood(NeighborhoodArguments arguments, const CreateSteps& steps);

}  // namespace rondo

#endif
