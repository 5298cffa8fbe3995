/// @file
/// Functions that allocate and free users' arrays, for all interfaces.
#ifndef RONDO_COLLECTIVES_FACES_HANDLES_MEMORY_CALLS_HPP
#define RONDO_COLLECTIVES_FACES_HANDLES_MEMORY_CALLS_HPP

#include <cstddef>

namespace rondo::internal {

/// Returns whether RONDO_SHM, which is read once, wants arrays to lie where partners can map them. Throws Error
/// (MPI_ERR_INFO_VALUE) for a wrong setting in the environment.
[[nodiscard]] bool wants_shared_arrays();
/// Allocates an array. Call this only while MPI runs. Throws std::bad_alloc, and what wants_shared_arrays() throws.
[[nodiscard]] void* allocate_array(std::size_t bytes);
/// Frees an array, at any time. Returns true, or false if `memory` is not the beginning of an array.
[[nodiscard]] bool free_array(void* memory) noexcept;

}  // namespace rondo::internal

#endif
