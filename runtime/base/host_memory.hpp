/// @file
/// Functions that check whether the host can access the memory at a user's address, and find GPU libraries.
#ifndef RONDO_RUNTIME_BASE_HOST_MEMORY_HPP
#define RONDO_RUNTIME_BASE_HOST_MEMORY_HPP

#include <string>

namespace rondo::internal {

/// Throws Error (MPI_ERR_BUFFER), with the name of `argument`, if `address` is in a GPU's memory that the host cannot
/// access: Rondo reads and writes buffers on the host. Asks CUDA's driver if the application has loaded it, and checks
/// nothing otherwise. Local. Takes some hundred nanoseconds, so it must not be called at each start.
void check_host_memory(const void* address, const std::string& argument);

/// Returns the name of a library by which programs use a GPU (CUDA's driver or runtime, HIP's, Level Zero's, SYCL's, or
/// OpenMP's for target regions) if this process has loaded one now, or null. Level Zero does not count if hwloc has
/// loaded it, as hwloc does so without a GPU. Local. Any thread. Opens no files.
[[nodiscard]] const char* loaded_gpu_library() noexcept;

}  // namespace rondo::internal

#endif
