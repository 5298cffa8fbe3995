/// @file
/// The arguments of a halo exchange, under both faces.
#ifndef RONDO_COLLECTIVES_ARGUMENTS_HALO_CALL_HPP
#define RONDO_COLLECTIVES_ARGUMENTS_HALO_CALL_HPP

#include <mpi.h>

#include "collectives/blocks/strided.hpp"
#include "collectives/halo/bundle.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace rondo::internal {

/// One array as the user gave it; its lists are only looked at while the call lasts.
struct HaloCallArray {
  void* data;
  int axes;
  const int* sizes;
  const MPI_Aint* strides;  ///< in elements; null: dense
  Strided<int> low;
  Strided<int> high;
  StorageOrder order;
  MPI_Datatype element;
  // What only the C++ interface knows; -1 where it is not known.
  std::int64_t elements = -1;        ///< of data
  std::int64_t depths = -1;          ///< entries of low and high
  std::int64_t stride_entries = -1;  ///< of strides, where there are any
};

struct HaloCall {
  const char* name;  ///< of the function, for messages
  std::span<const HaloCallArray> arrays;
  Stencil stencil;
  bool is_list;  ///< of arrays, which messages name by their numbers
};

/// The lowest of the addresses of arrays: that which their exchange's buffer stands for.
[[nodiscard]] void* base_of(const HaloCall& call) noexcept;

/// Most dimensions with a halo: an array has 3^N - 1 neighbors.
inline constexpr int kMostHaloAxes = 10;

/// Checks the arguments and makes the shapes of this rank's arrays, placed from base_of(). Throws Error that names the
/// argument. Local; `probe`: see layout_of().
[[nodiscard]] std::shared_ptr<const halo::Bundle> check_halo_call(const HaloCall& call, const Grid& grid,
                                                                  MPI_Comm probe);

}  // namespace rondo::internal

#endif
