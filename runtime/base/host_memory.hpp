/// @file
/// Whether the host can reach what a user's address points at.
#ifndef RONDO_RUNTIME_BASE_HOST_MEMORY_HPP
#define RONDO_RUNTIME_BASE_HOST_MEMORY_HPP

#include <string>

namespace rondo::internal {

/// Throws Error, MPI_ERR_BUFFER, that names `argument`, for an address in a GPU's memory that the host cannot reach,
/// which Rondo would read and write itself. Told by the driver of CUDA, where the application has loaded it; without
/// it nothing is asked. Local. Takes some hundred nanoseconds: not for the way of a start.
void check_host_memory(const void* address, const std::string& argument);

/// Returns the name of a library by which programs use a GPU (CUDA's driver or runtime, HIP's, Level Zero's, SYCL's, or
/// OpenMP's for target regions) if this process has loaded one now, or null. Level Zero does not count if hwloc has
/// loaded it, as hwloc does so without a GPU. Local. Any thread. Opens no files.
[[nodiscard]] const char* loaded_gpu_library() noexcept;

}  // namespace rondo::internal

#endif
