/// @file
/// Memory that users allocate, for all faces.
#ifndef RONDO_COLLECTIVES_FACES_HANDLES_MEMORY_CALLS_HPP
#define RONDO_COLLECTIVES_FACES_HANDLES_MEMORY_CALLS_HPP

#include <cstddef>

namespace rondo::internal {

/// Whether arrays lie where partners can map them, as far as RONDO_SHM says, which is read once. Throws Error,
/// MPI_ERR_INFO_VALUE, for a wrong setting in the environment.
[[nodiscard]] bool wants_shared_arrays();
/// While MPI runs. Throws std::bad_alloc, and what wants_shared_arrays() does.
[[nodiscard]] void* allocate_array(std::size_t bytes);
/// False where `memory` is not the beginning of such an array. At any time.
[[nodiscard]] bool free_array(void* memory) noexcept;

}  // namespace rondo::internal

#endif
