/// @file
/// The arguments of a halo exchange, under both faces.
#ifndef RONDO_COLLECTIVES_ARGUMENTS_HALO_CALL_HPP
#define RONDO_COLLECTIVES_ARGUMENTS_HALO_CALL_HPP

#include <mpi.h>

#include "collectives/blocks/strided.hpp"
#include "collectives/halo/shape.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <memory>

namespace rondo::internal {

/// As the user gave them; the arrays are only looked at while the call lasts.
struct HaloCall {
  const char* name;  ///< of the function, for messages
  void* array;
  int axes;
  const int* sizes;
  const MPI_Aint* strides;  ///< in elements; null: dense
  Strided<int> low;
  Strided<int> high;
  StorageOrder order;
  MPI_Datatype element;
  Stencil stencil;
  // What only the C++ interface knows; -1 where it is not known.
  std::int64_t elements = -1;        ///< of the array
  std::int64_t depths = -1;          ///< entries of low and high
  std::int64_t stride_entries = -1;  ///< of strides, where there are any
};

/// Most dimensions with a halo: an array has 3^N - 1 neighbors.
inline constexpr int kMostHaloAxes = 10;

/// Checks the arguments and makes the shape of this rank's array. Throws Error that names the argument. Local; `probe`:
/// see layout_of().
[[nodiscard]] std::unique_ptr<const halo::Shape> check_halo_call(const HaloCall& call, const Grid& grid,
                                                                 MPI_Comm probe);

}  // namespace rondo::internal

#endif
