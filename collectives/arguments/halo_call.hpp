/// @file
/// HaloCall: the arguments of a halo exchange, as the C and the C++ interface give them, and their check.
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

/// The arguments that describe one array of a halo exchange. Their lists are read only while the call lasts.
struct HaloCallArray {
  void* data;
  int axes;
  const int* sizes;
  const MPI_Aint* strides;  ///< in elements; null: dense
  Strided<int> low;
  Strided<int> high;
  StorageOrder order;
  MPI_Datatype element;
  // Lengths that only the C++ interface knows; -1 if they are not known.
  std::int64_t elements = -1;        ///< elements of data
  std::int64_t depths = -1;          ///< entries of low and high
  std::int64_t stride_entries = -1;  ///< entries of strides, if there are any
};

/// The arguments of one call of a halo exchange.
struct HaloCall {
  const char* name;  ///< name of the function, for error messages
  std::span<const HaloCallArray> arrays;
  Stencil stencil;
  bool is_list;  ///< whether the user gave a list of arrays; error messages then name arrays by their numbers
};

/// Returns the lowest of the arrays' addresses, which is the buffer of their exchange.
[[nodiscard]] void* base_of(const HaloCall& call) noexcept;

/// Maximum number of dimensions of an array that have a halo: an array with N of them has 3^N - 1 neighbors.
inline constexpr int kMostHaloAxes = 10;

/// Checks the arguments and returns the shapes of this rank's arrays, with offsets from base_of(). Throws Error that
/// names the argument. Local. `probe`: see layout_of().
[[nodiscard]] std::shared_ptr<const halo::Bundle> check_halo_call(const HaloCall& call, const Grid& grid,
                                                                  MPI_Comm probe);

}  // namespace rondo::internal

#endif
