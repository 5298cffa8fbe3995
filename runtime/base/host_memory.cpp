#include "runtime/base/host_memory.hpp"

#include <dlfcn.h>
#include <link.h>
#include <rondo/error.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace rondo::internal {
namespace {

/// The type of CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr)
using PointerGetAttribute = int (*)(void*, int, unsigned long long);
constexpr int kMemoryType = 2;   // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int kIsManaged = 8;    // CU_POINTER_ATTRIBUTE_IS_MANAGED
constexpr unsigned kDevice = 2;  // CU_MEMORYTYPE_DEVICE

/// Libraries that programs with data on a GPU load: the driver and the runtime of CUDA, those of HIP, Level Zero and
/// SYCL, and that of OpenMP's target regions.
constexpr const char* kCudaDriver = "libcuda.so";
constexpr const char* kLevelZero = "libze_loader.so";
constexpr std::array kGpuLibraries{kCudaDriver, "libcudart.so", "libamdhip64.so",
                                   kLevelZero,  "libsycl.so",   "libomptarget.so"};
/// The plug-in by which hwloc, and so every MPI that uses hwloc, loads Level Zero on machines without a GPU, too.
constexpr const char* kLevelZeroOfHwloc = "hwloc_levelzero.so";

/// Counts of the libraries loaded and unloaded so far. Equal counts mean that the same libraries are loaded.
struct LoadCount {
  unsigned long long loads = 0;
  unsigned long long unloads = 0;
  bool operator==(const LoadCount&) const = default;
};

LoadCount count_loads() noexcept {
  LoadCount count;
  const auto look_at_first = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<LoadCount*>(to) = {info->dlpi_adds, info->dlpi_subs};
    return 1;  // the counts are the same for all libraries
  };
  dl_iterate_phdr(look_at_first, &count);
  return count;
}

/// The GPU libraries that are loaded, one flag for each of kGpuLibraries.
using Loaded = std::array<bool, kGpuLibraries.size()>;

Loaded find_gpu_libraries() noexcept {
  struct Found {
    Loaded loaded{};
    bool by_hwloc = false;  ///< from here on Level Zero is there because hwloc has loaded it
  };
  Found found;
  // In the order in which libraries were loaded: one comes before those that it needs itself.
  const auto look = [](dl_phdr_info* info, std::size_t, void* to) {
    auto& so_far = *static_cast<Found*>(to);
    const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
    if (file.starts_with(kLevelZeroOfHwloc)) so_far.by_hwloc = true;
    for (std::size_t i = 0; i < kGpuLibraries.size(); ++i) {
      const bool is_of_hwloc = so_far.by_hwloc && kGpuLibraries[i] == kLevelZero;
      if (file.starts_with(kGpuLibraries[i]) && !is_of_hwloc) so_far.loaded[i] = true;
    }
    return 0;
  };
  dl_iterate_phdr(look, &found);
  return found.loaded;
}

/// Returns the function cuPointerGetAttribute of CUDA's driver if that is loaded, or null.
PointerGetAttribute find_function_of_driver() noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const found = dlsym(library, "cuPointerGetAttribute");
  dlclose(library);  // releases only the reference that dlopen took: whoever loaded the library keeps it loaded
  return reinterpret_cast<PointerGetAttribute>(found);
}

/// A GPU library that this process has loaded, and the function that says where an address lies.
struct GpuLibraries {
  const char* name = nullptr;  ///< name of a loaded GPU library, or null
  PointerGetAttribute ask = nullptr;
};

/// Returns the GPU libraries of this process. Searches all libraries if one was loaded or unloaded since the last call.
/// Any thread.
GpuLibraries gpu_libraries() noexcept {
  static std::mutex mutex;
  static LoadCount seen;
  static GpuLibraries known;
  const LoadCount count = count_loads();
  const std::scoped_lock lock(mutex);
  if (count == seen) return known;
  const Loaded loaded = find_gpu_libraries();
  known = {};
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    if (loaded[i] && known.name == nullptr) known.name = kGpuLibraries[i];
  }
  if (loaded[0]) known.ask = find_function_of_driver();
  seen = count;
  return known;
}

bool is_on_device(PointerGetAttribute ask, const void* address) {
  const auto at = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
  unsigned type = 0;
  // The driver returns an error for an address that it does not know: memory of the host that was not registered.
  if (ask(&type, kMemoryType, at) != 0 || type != kDevice) return false;
  unsigned managed = 0;
  return ask(&managed, kIsManaged, at) != 0 || managed == 0;
}

}  // namespace

const char* loaded_gpu_library() noexcept { return gpu_libraries().name; }

void check_host_memory(const void* address, const std::string& argument) {
  if (address == nullptr) return;
  const PointerGetAttribute ask = gpu_libraries().ask;
  if (ask == nullptr || !is_on_device(ask, address)) return;
  throw Error(MPI_ERR_BUFFER,
              argument + ": is in a GPU's memory, must be in the host's (or managed): Rondo copies on the host");
}

}  // namespace rondo::internal
