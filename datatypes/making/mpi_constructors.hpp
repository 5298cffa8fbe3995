/// @file
/// Wrappers of MPI's datatype constructors, as Rondo calls them.
#ifndef RONDO_DATATYPES_MAKING_MPI_CONSTRUCTORS_HPP
#define RONDO_DATATYPES_MAKING_MPI_CONSTRUCTORS_HPP

#include <mpi.h>
#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace rondo::internal {

/// Returns `number` as an int. Throws Error, MPI_ERR_COUNT, if it does not fit. `what`: the things that are counted.
[[nodiscard]] inline int as_int(std::int64_t number, const char* what) {
  if (number <= std::numeric_limits<int>::max()) return static_cast<int>(number);
  throw Error(MPI_ERR_COUNT, "layout: has " + std::to_string(number) + " " + what + ", must have at most 2147483647");
}

// Each function below makes a datatype, which the caller owns and which is not committed. Displacements are in bytes.
// Throws Error with MPI's class.

[[nodiscard]] inline MPI_Datatype make_struct(std::span<const int> lengths, std::span<const MPI_Aint> displacements,
                                              std::span<const MPI_Datatype> types) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(as_int(std::ssize(types), "parts"), lengths.data(), displacements.data(),
                                   types.data(), &result),
            "MPI_Type_create_struct");
  return result;
}

/// Makes a datatype of blocks of different lengths.
[[nodiscard]] inline MPI_Datatype make_blocks(std::span<const int> lengths, std::span<const MPI_Aint> displacements,
                                              MPI_Datatype element) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_hindexed(as_int(std::ssize(lengths), "pieces"), lengths.data(), displacements.data(),
                                     element, &result),
            "MPI_Type_create_hindexed");
  return result;
}

/// Makes a datatype of blocks of one length.
[[nodiscard]] inline MPI_Datatype make_blocks(int length, std::span<const MPI_Aint> displacements,
                                              MPI_Datatype element) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_hindexed_block(as_int(std::ssize(displacements), "pieces"), length, displacements.data(),
                                           element, &result),
            "MPI_Type_create_hindexed_block");
  return result;
}

/// Makes a datatype of one `element` with an extent of `extent` bytes and a lower bound of 0.
[[nodiscard]] inline MPI_Datatype make_resized(MPI_Datatype element, MPI_Aint extent) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_resized(element, 0, extent, &result), "MPI_Type_create_resized");
  return result;
}

}  // namespace rondo::internal

#endif
