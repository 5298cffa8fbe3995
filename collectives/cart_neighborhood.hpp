/// @file
/// Making Cartesian communicators with a neighborhood, and asking them (ICPP 2019, section 2, listings 1 and 2).
#ifndef RONDO_COLLECTIVES_CART_NEIGHBORHOOD_HPP
#define RONDO_COLLECTIVES_CART_NEIGHBORHOOD_HPP

#include <mpi.h>

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

/// Collective; see Rondo_Cart_neighborhood_create. `take_settings` is called where a bad value, or whatever else it
/// throws, can still be told to all ranks; to be passed by std::ref, which allocates nothing.
[[nodiscard]] MPI_Comm create_neighborhood(const NeighborhoodArguments& arguments,
                                           const std::function<void(Settings&)>& take_settings);

}  // namespace rondo

#endif
