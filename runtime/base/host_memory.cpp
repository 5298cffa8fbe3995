#include "runtime/base/host_memory.hpp"

#include <dlfcn.h>
#include <rondo/error.hpp>

#include <mpi.h>

#include <cstdint>

namespace rondo::internal {
namespace {

/// CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr)
using PointerGetAttribute = int (*)(void*, int, unsigned long long);
constexpr int kMemoryType = 2;   // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int kIsManaged = 8;    // CU_POINTER_ATTRIBUTE_IS_MANAGED
constexpr unsigned kDevice = 2;  // CU_MEMORYTYPE_DEVICE

/// Null where the driver is not loaded, which it may be later.
PointerGetAttribute driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const found = dlsym(library, "cuPointerGetAttribute");
  dlclose(library);  // the reference that dlopen took: who loaded it keeps it
  return reinterpret_cast<PointerGetAttribute>(found);
}

bool is_on_device(PointerGetAttribute ask, const void* address) {
  const auto at = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
  unsigned type = 0;
  // What it does not know is memory of the host that was not registered, and an error.
  if (ask(&type, kMemoryType, at) != 0 || type != kDevice) return false;
  unsigned managed = 0;
  return ask(&managed, kIsManaged, at) != 0 || managed == 0;
}

}  // namespace

void check_host_memory(const void* address, const std::string& argument) {
  if (address == nullptr) return;
  const PointerGetAttribute ask = driver();
  if (ask == nullptr || !is_on_device(ask, address)) return;
  throw Error(MPI_ERR_BUFFER,
              argument + ": is in a GPU's memory, must be in the host's (or managed): Rondo copies on the host");
}

}  // namespace rondo::internal
